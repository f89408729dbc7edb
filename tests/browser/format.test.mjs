// The page's text, without a browser: amounts are exact, JSON keeps its digits.
import assert from "node:assert/strict";
import test from "node:test";

const assets = new URL("../../telemetry/dashboard/assets/", import.meta.url);
const { fromBase, pretty, rawNumber, short, span, splitEvents, title } = await import(new URL("format.js", assets));
const { flat } = await import(new URL("describe.js", assets));
const { noFilter, passes, Store, HOLD } = await import(new URL("store.js", assets));

test("amounts never pass through a float", () => {
  assert.equal(fromBase("12500000000000000000"), "12.5");
  assert.equal(fromBase("1"), "0.000000000000000001");
  assert.equal(fromBase("0"), "0");
  assert.equal(fromBase("10123456789012345678901"), "10,123.456789012345678901");
  assert.equal(fromBase("1500000", 6), "1.5");
  assert.equal(fromBase("7", 0), "7");
  for (const bad of ["", "-1", "1e3", "1.5", undefined, 12]) assert.equal(fromBase(bad), "");
  assert.equal(rawNumber('{"priceApe": 10.123456789012345678 }', "priceApe"), "10.123456789012345678");
  assert.equal(rawNumber('{"priceApe":1e5}', "priceApe"), "");
});

test("JSON is laid out with every character of its tokens", () => {
  const raw = '{"n":10.123456789012345678,"big":123456789012345678901,"s":"a\\"b,{}[]:","e":{},"l":[],"t":[true,null,-1.5E+3]}';
  const text = pretty(raw).map(([, s]) => s).join("");
  assert.equal(text.replace(/\s+/g, ""), raw);
  assert.match(text, /\n {2}"n": 10\.123456789012345678,\n/);
  assert.deepEqual(JSON.parse(text), JSON.parse(raw));
});

test("a backlog answer is split without parsing its events", () => {
  const events = ['{"a":"]}[{\\""}', '{"b":[{"c":1.50}]}'];
  assert.deepEqual(splitEvents(`{"events":[${events.join(",")}],"cursor":"aa-1"}`), events);
  assert.deepEqual(splitEvents('{"events":[],"cursor":"0-0"}'), []);
});

test("small words", () => {
  assert.equal(short("0x1234567890abcdef1234"), "0x1234…1234");
  assert.equal(title("demo-apes"), "Demo Apes");
  assert.equal(title("Not a slug!"), "Not a slug!");
  assert.deepEqual([span(12), span(1240), span(200_000), span(7_500_000)], ["12 ms", "1.24 s", "3 min 20 s", "2 h 5 min"]);
});

const line = (eventType, payload, result, rest = {}) =>
  JSON.stringify({ v: 1, ts: "2026-11-30T12:00:00.000Z", eventType, agentId: "a", traceId: "t", command: "ape-claw nft buy", dryRun: true, chainId: 33139, payload, result, ok: true, error: null, ...rest });

test("sentences", () => {
  const store = new Store();
  const say = (...args) => flat(store.add(line(...args), String(store.seq)).parts);
  assert.equal(say("nft.quote.created", { collection: "demo-apes", tokenId: "12" }, { quoteId: "q_1", priceApe: 12.5, priceWei: "12500000000000000000" }), "Quoted Demo Apes #12 at 12.5 APE");
  // Later events name the quote only.
  assert.equal(say("nft.buy.dry_run", { quoteId: "q_1" }, { wouldBuy: true, wouldBlock: [{}, {}] }), "Would buy Demo Apes #12 for 12.5 APE, 2 gates would refuse");
  assert.equal(say("nft.buy.confirmed", { quoteId: "q_1" }, { txHash: "0x1", blockNumber: 5 }, { dryRun: false }), "Bought Demo Apes #12 for 12.5 APE");
  assert.equal(say("policy.blocked", { command: "ape-claw nft buy", reason: "no simulation" }, {}, { ok: false, error: "x" }), "Refused nft buy: no simulation");
  assert.equal(say("some.new_thing", {}, {}, { ok: false, error: "boom" }), "Some new thing: boom");
  assert.deepEqual([store.sums.real.buys, store.sums.real.wei, store.sums.refused, store.sums.failed], [1, 12500000000000000000n, 1, 1]);
});

test("events of any shape get a sentence", () => {
  const store = new Store();
  const shapes = [null, 1, "x", [], {}, { quote: 3 }, { wouldBlock: "x", count: {}, issues: 1, reason: { a: 1 } }];
  for (const type of ["nft.buy.dry_run", "doctor.ran", "chain.info.read", "bridge.quote.created", "constructor", "__proto__", "", "x"])
    for (const payload of shapes) for (const result of shapes) assert.ok(flat(store.record(line(type, payload, result, { chainId: "x" }), "").parts).length > 0, type);
  for (const bad of ["", "nope", "[]", "3", "null"]) assert.equal(store.record(bad, ""), null);
  assert.ok(store.record("{}", ""));
});

test("the store is bounded and takes each id once", () => {
  const store = new Store();
  for (let i = 0; i < HOLD + 2000; i++) store.add(line("a.b", {}, { i }, { traceId: `t${i % 700}`, agentId: `g${i % 3}` }), `aa-${i}`);
  assert.ok(store.all.length <= HOLD + 500, String(store.all.length));
  assert.equal(store.add(line("a.b", {}, {}), store.all.at(-1).id), null);
  const traced = [...store.traces.values()].reduce((n, l) => n + l.length, 0);
  assert.equal(traced, store.all.length);
  assert.equal([...store.agents.values()].reduce((a, b) => a + b), store.all.length);
  assert.equal(store.sums.real.events + store.sums.dry.events + store.sums.sandbox.events, store.all.length);
});

test("filters", () => {
  const store = new Store();
  const rec = store.add(line("nft.buy.dry_run", { quoteId: "q_9" }, {}), "aa-1");
  const f = (o) => passes(rec, { ...noFilter(), ...o });
  for (const yes of [{}, { type: "nft.*" }, { type: "nft.buy.dry_run" }, { agent: "a" }, { trace: "t" }, { text: "Q_9" }, { modes: new Set(["dry"]) }]) assert.ok(f(yes), JSON.stringify(yes));
  for (const no of [{ type: "nftx.*" }, { type: "nft.buy" }, { agent: "b" }, { trace: "x" }, { text: "zzz" }, { modes: new Set(["real"]) }, { outcomes: new Set(["failed"]) }]) assert.ok(!f(no), JSON.stringify(no));
});
