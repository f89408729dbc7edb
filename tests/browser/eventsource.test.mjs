// npm's eventsource, which is what Node programs use, against a real server.
import assert from "node:assert/strict";
import test from "node:test";
import { EventSource } from "eventsource";
import { append, event, startServer, stateDir, until } from "./harness.mjs";

function listen(t, url) {
  const got = [], ids = [], resets = [];
  const es = new EventSource(url);
  t.after(() => es.close());
  es.onmessage = (m) => {
    got.push(m.data);
    ids.push(m.lastEventId);
  };
  es.addEventListener("reset", (m) => resets.push(JSON.parse(m.data)));
  return { es, got, ids, resets };
}

test("live events arrive at onmessage, byte for byte", async (t) => {
  const dir = await stateDir(t);
  const server = await startServer(t, dir);
  const { es, got } = listen(t, `${server.url}/events`);
  await until("the stream to open", () => es.readyState === EventSource.OPEN);
  const lines = [event("a.b"), event("a.c", { payload: { text: "é \u2028 \r\n :data" } }), '{ "spaced" : 1.50, "eventType":"x.y" }'];
  await append(dir, ...lines);
  await until("three events", () => got.length >= lines.length);
  assert.deepEqual(got, lines);
});

test("a client that reconnects has each event once, over restarts of the server", async (t) => {
  const dir = await stateDir(t);
  const all = [];
  const more = async (n) => {
    const lines = Array.from({ length: n }, () => event("a.b"));
    all.push(...lines);
    await append(dir, ...lines);
  };
  await more(3);
  let server = await startServer(t, dir);
  const { got, ids, resets } = listen(t, `${server.url}/events?backlog=1000`);
  await until("the backlog", () => got.length >= 3);
  await more(50);
  await until("live events", () => got.length >= 53);
  for (const how of ["stop", "kill"]) {
    await server[how]();
    await more(20); // while nobody serves
    server = await startServer(t, dir, server.addr);
    await until("events of the outage", () => got.length >= all.length);
    await more(20);
    await until("live events again", () => got.length >= all.length);
  }
  assert.deepEqual(got, all);
  assert.equal(new Set(ids).size, all.length);
  assert.deepEqual(resets, []);
});

test("a cursor of another log is told by a reset", async (t) => {
  const dir = await stateDir(t);
  await append(dir, event("a.b"));
  const server = await startServer(t, dir);
  const { got, resets } = listen(t, `${server.url}/events?after=otherlog-5`);
  await until("the reset", () => resets.length === 1);
  assert.equal(resets[0].reason, "unknown");
  assert.equal(resets[0].from, "otherlog-5");
  const line = event("a.c");
  await append(dir, line);
  await until("a live event", () => got.length === 1);
  assert.deepEqual(got, [line]);
});

test("filters", async (t) => {
  const dir = await stateDir(t);
  const server = await startServer(t, dir);
  const { es, got } = listen(t, `${server.url}/events?type=nft.*&agentId=mara`);
  await until("the stream to open", () => es.readyState === EventSource.OPEN);
  const want = [event("nft.a", { agentId: "mara" }), event("nft.b.c", { agentId: "mara" })];
  await append(dir, event("nft.a"), want[0], event("policy.blocked", { agentId: "mara" }), want[1]);
  await until("two events", () => got.length >= 2);
  assert.deepEqual(got, want);
});
