// The worker that tabs share, without a browser: what it gives to whom.
import assert from "node:assert/strict";
import test from "node:test";
import { until } from "./harness.mjs";

const assets = new URL("../../telemetry/dashboard/assets/", import.meta.url);
const { HOLD } = await import(new URL("limits.js", assets));

// What a worker has around it. No timer keeps the test running.
const sources = [];
globalThis.self = globalThis;
self.addEventListener = () => {};
const every = setInterval;
self.setInterval = (...args) => every(...args).unref();
self.fetch = () => Promise.reject(new Error("no network here"));
self.EventSource = class {
  static OPEN = 1;
  static CLOSED = 2;
  readyState = 1;
  named = {};
  constructor(url) {
    this.url = url;
    sources.push(this);
  }
  addEventListener(name, f) {
    this.named[name] = f;
  }
  close() {
    this.readyState = 2;
  }
};
await import(new URL("worker.js", assets));

let serial = 0;
/** The server sends n events. */
function arrive(n) {
  for (let i = 0; i < n; i++) sources.at(-1).onmessage({ data: `{"n":${++serial}}`, lastEventId: `aa-${serial}` });
}

const all = [];

/** A tab: took() says that it has what it was sent. */
function tab(have = null) {
  const got = { batches: [], items: [], missed: 0, next: 0, notes: [] };
  const port = {
    postMessage(m) {
      got.notes.push(m.kind);
      if (m.kind !== "batch") return;
      got.batches.push(m);
      got.items.push(...m.items.map((x) => x.id));
      got.missed += m.missed;
      got.next = { run: m.run, next: m.from + m.items.length };
    },
  };
  self.onconnect({ ports: [port] });
  const say = (kind, more) => port.onmessage({ data: { kind, ...more } });
  say("hello", { have, lock: "" });
  all.push(Object.assign(got, { say, took: () => say("took") }));
  return got;
}

test("a tab is sent the next batch when it has taken the last; who comes late has the rest", async () => {
  const quick = tab(), stuck = tab();
  assert.equal(sources.length, 1); // one stream for both
  arrive(10);
  await until("ten", () => quick.items.length === 10);
  quick.took();
  for (let i = 0; i < 5; i++) {
    arrive(10);
    await until("ten more", () => quick.items.length === 20 + 10 * i);
    quick.took();
  }
  assert.equal(stuck.batches.length, 1); // nothing piles up at its door
  assert.equal(stuck.items.length, 10);
  stuck.took();
  assert.deepEqual(stuck.items, quick.items);

  // Far behind, it has what the worker still holds, and is told of the rest.
  arrive(HOLD + 500);
  await until("a batch", () => quick.batches.at(-1).from === 60 + 500);
  assert.equal(stuck.missed, 0);
  stuck.took();
  while (stuck.items.at(-1) !== `aa-${serial}`) stuck.took();
  assert.equal(stuck.missed, 500);
  assert.ok(Math.max(...stuck.batches.map((b) => b.items.length)) <= 2000);

  // A new one has all that is held at once.
  const late = tab();
  while (late.items.at(-1) !== `aa-${serial}`) late.took();
  assert.equal(late.items.length, HOLD);
  // One that comes again goes on where it was, and not from a worker before this one.
  assert.equal(tab(late.next).batches.length, 0);
  assert.equal(tab({ run: "another", next: 3 }).batches[0].from, serial - HOLD);
});

test("a log-out leaves nothing, here or in any tab", async () => {
  const one = tab(), other = tab();
  one.say("forget");
  assert.ok(one.notes.includes("forget") && other.notes.includes("forget"));
  assert.ok(sources.at(-2).readyState === 2 && !sources.at(-1).url.includes("after="));
  assert.equal(tab().batches.length, 0);
  const before = other.items.length;
  other.took();
  arrive(1);
  await until("the new one", () => other.items.length === before + 1);
});

test("when the last tab leaves, the stream ends; when one comes, it goes on where it was", async () => {
  arrive(1);
  const source = sources.at(-1), at = serial;
  for (const t of all) t.say("bye");
  assert.equal(source.readyState, 1); // a page that reloads is back before that
  await until("the end of the stream", () => source.readyState === 2);
  tab();
  assert.equal(sources.at(-1).url, `/events?type=*&after=aa-${at}`);
});
