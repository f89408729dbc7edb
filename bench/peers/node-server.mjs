// A server in the shape of the original, for Node 20: a set of responses, two
// writes an event and client, fs.watch and a read from the last offset, and a
// backlog that reads the whole file. An event that is posted is one line appended
// at once; before it, each call is counted by address, and each answer has headers
// for browsers. FILE is followed; PORT 0 picks a free one; AGENT_ID may post with the
// token whose SHA-256 is TOKEN_HASH; RATE is how many calls a minute an address may
// make (the original's 10 would end the benchmark in a moment).
import http from 'node:http';
import fs from 'node:fs';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const { FILE, PORT = '0', AGENT_ID = '', TOKEN_HASH = '', RATE = '1e9' } = process.env;
const agents = new Map(TOKEN_HASH ? [[AGENT_ID, Buffer.from(TOKEN_HASH, 'hex')]] : []);
const MAX_BODY = 1 << 20;
const MINUTE = 60_000;
const calls = new Map();
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

function answer(res, status, doc) {
  const body = JSON.stringify(doc);
  res.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Access-Control-Allow-Origin': '*',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  });
  res.end(body);
}

// tooMany counts a call of an address in a minute that begins with its first one.
function tooMany(req) {
  const address = req.headers['x-forwarded-for'] || req.socket.remoteAddress;
  const now = Date.now();
  const known = calls.get(address);
  if (!known || now - known.since >= MINUTE) {
    calls.set(address, { since: now, count: 1 });
    return false;
  }
  known.count++;
  return known.count > Number(RATE);
}

function verified(req) {
  const stored = agents.get(req.headers['x-agent-id']);
  const token = req.headers['x-agent-token'];
  return stored && token && timingSafeEqual(stored, createHash('sha256').update(token).digest());
}

function time(ts) {
  if (typeof ts === 'number') return new Date(ts * 1000).toISOString();
  return ts || new Date().toISOString();
}

function normalized(e, agentId) {
  return {
    v: Number(e.v ?? 1),
    ts: time(e.ts),
    eventType: String(e.eventType),
    agentId,
    sessionId: e.sessionId || 'local-session',
    traceId: e.traceId || `trace_${Date.now()}_${randomBytes(4).toString('hex')}`,
    command: e.command || '',
    dryRun: e.dryRun ?? true,
    chainId: e.chainId ?? 33139,
    payload: e.payload ?? e.data ?? {},
    result: e.result ?? {},
    ok: e.ok ?? true,
    error: e.error ?? null,
  };
}

function take(req, res) {
  if (tooMany(req)) {
    res.setHeader('Retry-After', '60');
    return answer(res, 429, { error: 'too many requests', retryAfterSeconds: 60 });
  }
  if (!req.headers['x-agent-id'] || !req.headers['x-agent-token']) return answer(res, 401, { error: 'no credentials' });
  const chunks = [];
  let size = 0;
  req.on('data', (chunk) => {
    size += chunk.length;
    if (size <= MAX_BODY) chunks.push(chunk);
  });
  req.on('end', () => {
    if (size > MAX_BODY) return answer(res, 413, { error: 'body too large' });
    let event;
    try {
      event = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    } catch {
      return answer(res, 400, { error: 'bad JSON' });
    }
    if (!verified(req)) return answer(res, 403, { error: 'not verified' });
    if (!event?.eventType) return answer(res, 400, { error: 'no eventType' });
    fs.appendFileSync(FILE, JSON.stringify(normalized(event, req.headers['x-agent-id'])) + '\n');
    answer(res, 200, { ok: true });
  });
}

const server = http.createServer((req, res) => {
  const url = new URL(req.url, 'http://localhost');
  if (url.pathname === '/events') return stream(req, res);
  if (url.pathname === '/events/backlog') return backlog(url, res);
  if (url.pathname === '/api/events' && req.method === 'POST') return take(req, res);
  res.writeHead(404);
  res.end();
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }));
});
