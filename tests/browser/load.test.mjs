// Many events: twenty thousand rows, hundreds a second, a long pause, an export.
// APE_CLAW_LOAD_SECONDS=30 runs the storm for as long.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { append, clean, event, frames, open, openContext, openTab, live, sentences, startServer, stateDir, text, until } from "./harness.mjs";

const SECONDS = Number(process.env.APE_CLAW_LOAD_SECONDS ?? 8);
const RATE = 500;
const ROWS = 20_000;

/** An event of some 450 bytes. */
const lineOf = (i) => event(i % 3 ? "nft.buy.dry_run" : "nft.quote.created", {
  traceId: `trace_${i >> 2}`, agentId: i % 5 ? "scout" : "=mara", payload: { collection: "demo-apes", tokenId: String(i), note: "n".repeat(60) },
  result: { i, collection: "demo-apes", tokenId: String(i), quoteId: `q_${i}`, priceApe: 12.5, priceWei: "12500000000000000000" },
});

async function pour(dir, n, from = 0) {
  for (let i = 0; i < n; i += 1000) await append(dir, ...Array.from({ length: Math.min(1000, n - i) }, (_, k) => lineOf(from + i + k)));
}

/** Starts to watch how long the page's main thread is away: every 10 ms it should be back. */
const watch = (page) => page.evaluate(() => {
  window.gaps = [];
  window.long = [];
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    window.gaps.push(now - last - 10);
    last = now;
  }, 10);
  new PerformanceObserver((list) => window.long.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask" });
});

/**
 * Asserts that the page's thread was there. A blank page that is watched at the
 * same time tells how much of the waiting is the machine's own.
 */
async function responsive(t, page, blank, what, most = 100) {
  const read = (p) => p.evaluate(() => {
    const g = window.gaps.splice(0).sort((a, b) => a - b);
    const at = (q) => Math.max(0, Math.round(g[Math.floor(q * (g.length - 1))]));
    return { p50: at(0.5), p95: at(0.95), worst: at(1), long: window.long.splice(0).map(Math.round) };
  });
  const [{ p50, p95, worst, long }, idle] = [await read(page), await read(blank)];
  t.diagnostic(`${what}: gaps p50 ${p50} ms, p95 ${p95} ms, longest ${worst} ms; ${long.length} tasks over 50 ms, longest ${Math.max(0, ...long)} ms; of a blank page p95 ${idle.p95} ms, longest ${idle.worst} ms`);
  assert.ok(worst < 1000 + 3 * idle.worst, `the main thread was away for ${worst} ms`);
  assert.ok(p95 < most + 3 * idle.p95, `p95 of the main thread's gaps is ${p95} ms`);
}

test(`${ROWS} rows, then ${RATE} events a second for ${SECONDS} s`, async (t) => {
  const { dir, page } = await open(t, [event("a.b")]);
  const blank = await (await openContext(t)).newPage(); // a window of its own
  for (const p of [page, blank]) await watch(p);
  const started = Date.now();
  await pour(dir, ROWS);
  await until("all rows", async () => (await text(page, "count")) === "20,001 events");
  t.diagnostic(`${ROWS} events shown ${Date.now() - started} ms after the first was written`);
  await responsive(t, page, blank, `${ROWS} at once`, 400); // a flood may be felt
  const nodes = () => page.evaluate(() => document.querySelectorAll(".rows *").length);
  const few = await nodes();
  assert.ok(few < 80 * 20, `only the rows in sight are in the page, not ${few} elements`);

  // Through all of them and back.
  await page.keyboard.press("Shift+G");
  await until("the oldest", async () => (await sentences(page)).at(-1) === "A b");
  await page.locator("#events").evaluate((n) => (n.scrollTop = 10_000 * 34));
  await frames(page);
  const inSight = () => page.evaluate(() => document.elementFromPoint(300, document.getElementById("events").getBoundingClientRect().top + 60)?.closest(".row")?.id);
  const before = await inSight();
  assert.ok(before);

  // The storm, while a row in the middle is read.
  for (const p of [page, blank]) await p.evaluate(() => (window.gaps.length = window.long.length = 0));
  const step = 100, total = (SECONDS * 1000) / step, start = Date.now();
  for (let k = 0; k < total; k++) {
    await append(dir, ...Array.from({ length: (RATE * step) / 1000 }, (_, i) => lineOf(ROWS + k * 50 + i)));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, start + (k + 1) * step - Date.now())));
    if (k === total >> 1) {
      // A filter in the middle of it, and a search.
      await page.selectOption("#f-type", "nft.buy.dry_run");
      await page.fill("#f-text", "demo-apes");
      await page.locator("#clear").click();
      await page.locator("#events").evaluate((n) => (n.scrollTop = 10_000 * 34));
    }
  }
  await until("the note", async () => /newer$/.test((await text(page, "newer")).slice(0, -1)));
  await until("the last one", async () => new RegExp(`"i":${ROWS + total * 50 - 1}\\b`).test(await lastRaw(page)));
  await responsive(t, page, blank, `${RATE} a second`);
  assert.ok((await nodes()) <= few + 20 * 20);
  assert.match(await text(page, "count"), /^2\d,\d\d\d events$/);
  clean(page);
});

/** The newest line held, through what copying would give: the page's own state is not reached into. */
async function lastRaw(page) {
  await page.locator("#events").evaluate((n) => n.focus());
  const at = await page.locator("#events").evaluate((n) => n.scrollTop);
  await page.keyboard.press("g");
  const json = await page.locator(".json").textContent().catch(() => "");
  await page.locator("#events").evaluate((n, top) => (n.scrollTop = top || 3400), at);
  return json.replace(/\s/g, "");
}

test("what is being read stays in place while others come", async (t) => {
  const { dir, page } = await open(t);
  await pour(dir, 2000);
  await until("rows", async () => (await text(page, "count")) === "2,000 events");
  await page.locator("#events").evaluate((n) => (n.scrollTop = 1000 * 34));
  await frames(page);
  const place = () => page.evaluate(() => {
    const y = document.getElementById("events").getBoundingClientRect().top;
    const row = document.elementFromPoint(300, y + 60).closest(".row");
    return [row.id, Math.round(row.getBoundingClientRect().top - y)];
  });
  const before = await place();
  for (let k = 0; k < 10; k++) {
    await pour(dir, 100, 2000 + k * 100);
    await until("more", async () => (await text(page, "newer")).startsWith(`${((k + 1) * 100).toLocaleString("en-US")} newer`));
    await frames(page);
    assert.deepEqual(await place(), before);
  }
});

test("a long pause is bounded, and says what it did not keep", async (t) => {
  const dir = await stateDir(t);
  const server = await startServer(t, dir);
  const context = await openContext(t);
  await context.route("**/assets/limits.js", (route) => route.fulfill({ contentType: "text/javascript", body: "export const HOLD = 300, BITE = 50, CHARS = 1 << 20;" }));
  const page = await openTab(context, server.url);
  await live(page);
  await append(dir, event("a.first"));
  await until("the first", async () => (await text(page, "count")) === "1 event");
  await page.keyboard.press("p");
  for (let i = 0; i < 10; i++) {
    await pour(dir, 100, i * 100);
    await until("the count", async () => (await text(page, "pause-word")) === `Resume · ${((i + 1) * 100).toLocaleString("en-US")} new`);
  }
  assert.match(await text(page, "pause-more"), /^of them the newest 300 are kept/);
  assert.equal(await page.title(), "Paused (1000) · ape-claw");
  await page.keyboard.press("p");
  await until("the newest", async () => (await text(page, "count")) === "301 events");
  await page.keyboard.press("Shift+G");
  await until("the note", async () => (await sentences(page)).at(-2) === "700 events passed by here and are only in the log");
});

test(`export of ${ROWS} rows, as they are in the log`, async (t) => {
  const { dir, page } = await open(t, [event("x.y", { agentId: '=HYPERLINK("http://evil")', sessionId: " -1\u0007\ud800 é🦍", payload: { n: "10.5\u0000" }, result: '=x,"y"', error: "＝1\u2028", command: " lead", source: "\\." })]);
  await pour(dir, ROWS);
  await until("all rows", async () => (await text(page, "count")) === "20,001 events");
  // Half a surrogate pair is shown to no reader.
  const log = (await readFile(`${dir}/events.jsonl`, "utf8")).replace("\\ud800", "\\ufffd").trimEnd().split("\n");
  const get = async (kind) => {
    await page.keyboard.press("e");
    const said = await text(page, "export-what");
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`#export-${kind}`).click()]);
    const body = await readFile(await download.path(), "utf8");
    return { said, name: download.suggestedFilename(), lines: body.trimEnd().split("\n") };
  };
  const all = await get("jsonl");
  assert.match(all.name, /^ape-claw-events-\d{8}T\d{6}\.jsonl$/);
  assert.equal(all.said, "20,001 events, all that this page holds.");
  assert.deepEqual(all.lines, log);
  await until("the toast", async () => (await text(page, "toast")) === "Exported 20,001 events");

  const csv = await get("csv");
  assert.equal(csv.lines.length, ROWS + 2);
  assert.equal(csv.lines[0], "v,ts,eventType,agentId,sessionId,traceId,command,dryRun,chainId,payload,result,ok,error,source,eventId");
  assert.ok(csv.lines[1].includes(`,x.y,"'=HYPERLINK(""http://evil"")",`), csv.lines[1]);

  // The command's file is the same, cell for cell.
  if (process.env.APE_CLAW_BIN) {
    const out = execFileSync(process.env.APE_CLAW_BIN, ["events", "export", "--format", "csv", "--state-dir", dir], { maxBuffer: 1 << 28, env: { PATH: process.env.PATH, HOME: dir, APE_CLAW_HOME: `${dir}/home` } });
    assert.deepEqual(csv.lines, out.toString().trimEnd().split("\n"));
  }

  await page.selectOption("#f-type", "nft.quote.created");
  await until("some", async () => /^6,667 of/.test(await text(page, "count")));
  const some = await get("jsonl");
  assert.equal(some.said, "6,667 events, those of 20,001 that pass the filters.");
  assert.deepEqual(some.lines, log.filter((l) => l.includes('"eventType":"nft.quote.created"')));
  clean(page);
});
