// A server in the shape of the original, for Node 20: a set of responses, two
// writes an event and client, fs.watch and a read from the last offset, and a
// backlog that reads the whole file. FILE is followed; PORT 0 picks a free one.
import http from 'node:http';
import fs from 'node:fs';

const { FILE, PORT = '0' } = process.env;
if (!fs.existsSync(FILE)) fs.writeFileSync(FILE, '');
const clients = new Set();
let offset = fs.statSync(FILE).size;
let rest = '';
let nextId = 1;

function send(res, id, event) {
  res.write(`id: ${id}\n`);
  res.write(`data: ${JSON.stringify(event)}\n\n`);
}

function broadcast(event) {
  const id = nextId++;
  for (const res of clients) send(res, id, event);
}

function readNew() {
  const { size } = fs.statSync(FILE);
  if (size < offset) {
    offset = 0;
    rest = '';
  }
  if (size === offset) return;
  const fd = fs.openSync(FILE, 'r');
  const buf = Buffer.alloc(size - offset);
  const n = fs.readSync(fd, buf, 0, buf.length, offset);
  fs.closeSync(fd);
  offset += n;
  const lines = (rest + buf.toString('utf8', 0, n)).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    if (!line.trim()) continue;
    let event;
    try {
      event = JSON.parse(line);
    } catch {
      continue;
    }
    broadcast(event);
  }
}

fs.watch(FILE, readNew);

function stream(req, res) {
  res.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache',
    Connection: 'keep-alive',
    'Access-Control-Allow-Origin': '*',
  });
  res.write(': connected\n\n');
  clients.add(res);
  req.on('close', () => clients.delete(res));
}

function backlog(url, res) {
  const limit = Number(url.searchParams.get('limit') || 300);
  try {
    const lines = fs.readFileSync(FILE, 'utf8').split('\n').filter(Boolean);
    const events = lines.slice(-limit).map((line) => JSON.parse(line));
    res.writeHead(200, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify({ events }));
  } catch (e) {
    res.writeHead(500);
    res.end(String(e));
  }
}

const server = http.createServer((req, res) => {
  const url = new URL(req.url, 'http://localhost');
  if (url.pathname === '/events') return stream(req, res);
  if (url.pathname === '/events/backlog') return backlog(url, res);
  res.writeHead(404);
  res.end();
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }));
});
