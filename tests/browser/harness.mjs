// What the tests share: a server on a state directory of its own, events to
// put into its log, and a browser.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { appendFile, mkdtemp } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { chromium } from "playwright-core";

export const PATIENCE = 20_000;

/** Waits until check() is true. The wait is bounded, and its end says what was waited for. */
export async function until(what, check) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${PATIENCE} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** The program under test: APE_CLAW_BIN, or, when that is not set, the small server in server/, built here. */
let built = "";
function program(dir, addr, more, small) {
  const args = ["--state-dir", dir, "--addr", addr, ...more];
  if (process.env.APE_CLAW_BIN && !small) return [process.env.APE_CLAW_BIN, ["serve", ...args, "--json"]];
  if (!built) {
    built = join(mkdtempSync(join(tmpdir(), "ape-claw-server-")), "server");
    execFileSync("go", ["build", "-o", built, "./server"], { cwd: import.meta.dirname, env: { ...process.env, CGO_ENABLED: "0" }, stdio: "inherit" });
    process.once("exit", () => rmSync(dirname(built), { recursive: true, force: true }));
  }
  return [built, args];
}

/** Directories to remove at the end, when no server writes to one any more. */
const dirs = [];
process.once("exit", () => dirs.forEach((dir) => rmSync(dir, { recursive: true, force: true })));

export async function stateDir() {
  dirs.push(await mkdtemp(join(tmpdir(), "ape-claw-browser-")));
  return dirs.at(-1);
}

/** Starts a server; {url, addr, dir, stop(), kill()}. small: the one in server/, whatever is tested. */
export async function startServer(t, dir, addr = "127.0.0.1:0", more = [], { small = false, env = {} } = {}) {
  const [bin, args] = program(dir, addr, more, small);
  // No settings of whoever runs the tests; a home of its own.
  const child = spawn(bin, args, { stdio: ["pipe", "pipe", "pipe"], env: { PATH: process.env.PATH, HOME: dir, APE_CLAW_HOME: join(dir, "home"), ...env } });
  let stderr = "";
  child.stderr.on("data", (b) => (stderr += b));
  const exited = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    exited.then(({ code }) => reject(new Error(`${bin} exited with ${code}: ${stderr}`)));
  });
  const { url, token } = JSON.parse(line);
  const end = (signal) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return exited;
  };
  t.after(() => end("SIGKILL"));
  return { url, token, child, addr: new URL(url).host, dir, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}

let serial = 0;

/** One line of the log. */
export function event(eventType, fields = {}) {
  serial++;
  return JSON.stringify({
    v: 1, ts: new Date().toISOString(), eventType, agentId: "scout", sessionId: "session_1", traceId: `trace_t${serial}`,
    command: "ape-claw test", dryRun: true, chainId: 7733139, payload: {}, result: { serial }, ok: true, error: null, ...fields,
  });
}

/** The lines of one purchase, as the program writes them. */
export function purchase({ trace = "trace_purchase", chainId = 7733139, tokenId = "12", agentId = "mara", at = Date.now() } = {}) {
  const quoteId = `q_${trace}`;
  const item = { collection: "demo-apes", name: "Demo Apes", tokenId, priceApe: 12.5, priceWei: "12500000000000000000", currency: "APE" };
  const txHash = "0x" + "ab".repeat(31) + "ef";
  const step = (ms, eventType, dryRun, payload, result, error = null) =>
    event(eventType, { ts: new Date(at + ms).toISOString(), agentId, traceId: trace, chainId, command: "ape-claw nft buy", dryRun, payload, result, ok: error === null, error });
  return [
    step(0, "nft.quote.created", true, { collection: "demo-apes", tokenId }, { quoteId, ...item }),
    step(400, "policy.blocked", false, { command: "ape-claw nft buy", reason: "the quote has no passed simulation", quoteId }, { blocked: true, reason: "the quote has no passed simulation", code: "simulation_required" }, "the quote has no passed simulation"),
    step(1000, "nft.simulation.passed", true, { quoteId }, { simulated: true, blockNumber: 41 }),
    step(1700, "nft.buy.dry_run", true, { quoteId }, { wouldBuy: true, wouldBlock: [] }),
    step(2600, "nft.buy.submitted", false, { quoteId }, { txHash, nonce: 1 }),
    step(3850, "nft.buy.confirmed", false, { quoteId }, { txHash, blockNumber: 18234, owner: "0x264f" + "0".repeat(32) + "3d4d" }),
  ];
}

export const append = (dir, ...lines) => appendFile(join(dir, "events.jsonl"), lines.map((l) => l + "\n").join(""));

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

// One browser for a file of tests; each page that is asked for has a context of
// its own, which shares nothing with others.
let browser;
async function theBrowser() {
  if (!existsSync(CHROMIUM)) throw new Error(`no browser at ${CHROMIUM}: install Debian's chromium, or set CHROMIUM`);
  browser ??= chromium.launch({
    executablePath: CHROMIUM,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  return browser;
}
after(async () => (await browser)?.close());

export async function openContext(t, options = {}) {
  const context = await (await theBrowser()).newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark", ...options });
  t.after(() => context.close());
  return context;
}

/** A page, which fails the test for anything the console or the page complains about. */
export async function openPage(t, url, options = {}) {
  return openTab(await openContext(t, options), url);
}

/** One more tab of a context. */
export async function openTab(context, url) {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.complaints = [];
  page.foreign = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && page.complaints.push(m.text()));
  page.on("pageerror", (e) => page.complaints.push(String(e)));
  page.on("request", (r) => r.url().startsWith(new URL(url).origin) || r.url().startsWith("blob:") || page.foreign.push(r.url()));
  await page.goto(url);
  return page;
}

/** A server on a log with these lines, and a page that is live on it. */
export async function open(t, lines = [], options) {
  const dir = await stateDir(t);
  if (lines.length) await append(dir, ...lines);
  const server = await startServer(t, dir);
  const page = await openPage(t, server.url, options);
  await live(page);
  return { dir, server, page };
}

export const live = (page) => page.waitForSelector('#state[data-state="live"]');
export const rows = (page) => page.locator(".rows .row:not([hidden])");
export const sentences = (page) => rows(page).evaluateAll((all) =>
  all.sort((a, b) => a.ariaPosInSet - b.ariaPosInSet).map((r) => r.querySelector(".what").textContent));
export const shows = (page, n) => until(`${n} rows`, async () => (await rows(page).count()) === n);
export const text = (page, id) => page.locator(`#${id}`).textContent();
export const clean = (page) => assert.deepEqual([page.complaints, page.foreign], [[], []]);

/** Lets `frames` frames of a page pass. */
export const frames = (page, n = 3) => page.evaluate(async (n) => {
  for (let i = 0; i < n; i++) await new Promise(requestAnimationFrame);
}, n);

/** What a gate answers for a script of the page with other numbers in it. */
export async function changed(server, path, ...changes) {
  let body = await (await fetch(server.url + path)).text();
  for (const [from, to] of changes) {
    assert.ok(body.includes(from), `${path} has ${from}`);
    body = body.replace(from, to);
  }
  return { status: 200, headers: { "Content-Type": "text/javascript" }, body };
}

/**
 * A gate before a server: what a proxy, or a server that asks who is reading,
 * answers in its place. gate.answer(request) returns {status, headers, body, open}
 * or nothing; gate.cut() ends every connection; gate.streams counts those open.
 */
export async function startGate(t, target) {
  const to = new URL(target);
  const gate = { answer: () => null, streams: 0, opened: 0 };
  const server = createServer(async (req, res) => {
    const chunks = [];
    for await (const c of req) chunks.push(c);
    const own = gate.answer({ method: req.method, url: req.url, headers: req.headers, body: Buffer.concat(chunks).toString() });
    if (own) {
      res.writeHead(own.status, { "Content-Type": "application/json", ...own.headers });
      if (own.open) return res.write(own.body); // and nothing more
      return res.end(typeof own.body === "string" ? own.body : JSON.stringify(own.body ?? {}));
    }
    const headers = { ...req.headers, host: to.host };
    delete headers.cookie;
    delete headers.origin; // it names the gate
    const stream = req.url.startsWith("/events?");
    const up = request({ host: to.hostname, port: to.port, method: req.method, path: req.url, headers }, (answer) => {
      res.writeHead(answer.statusCode, answer.headers);
      res.flushHeaders();
      answer.pipe(res);
      answer.on("error", () => res.destroy());
    });
    if (stream) {
      gate.streams++;
      gate.opened++;
    }
    res.on("close", () => {
      up.destroy();
      if (stream) gate.streams--;
    });
    up.on("error", () => res.destroy());
    up.end(Buffer.concat(chunks));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  gate.url = `http://127.0.0.1:${server.address().port}`;
  gate.cut = () => server.closeAllConnections();
  t.after(() => (gate.cut(), new Promise((resolve) => server.close(resolve))));
  return gate;
}
