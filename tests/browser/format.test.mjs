// The page's text, without a browser: amounts are exact, JSON keeps its digits.
import assert from "node:assert/strict";
import test from "node:test";

const assets = new URL("../../telemetry/dashboard/assets/", import.meta.url);
const { clip, fromBase, members, pretty, rawNumber, short, span, splitEvents, title, visible } = await import(new URL("format.js", assets));
const { flat } = await import(new URL("describe.js", assets));
const { place, Store } = await import(new URL("store.js", assets));
const { BITE, HOLD } = await import(new URL("limits.js", assets));
const { compile, noFilter } = await import(new URL("filter.js", assets));
const { Ring } = await import(new URL("ring.js", assets));
const { Lag, Rates } = await import(new URL("rates.js", assets));
const { COLUMNS, csvRow } = await import(new URL("export.js", assets));
const { behind, explain, offsetOf } = await import(new URL("feed.js", assets));

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

test("a purchase that a reorganisation takes back is counted once", () => {
  const store = new Store();
  const real = { dryRun: false }, bad = { dryRun: false, ok: false, error: "x" };
  const add = (...args) => store.add(line(...args), String(store.seq));
  const counts = () => [store.sums.real.buys, store.sums.real.wei];
  const confirmed = (quoteId) => add("nft.buy.confirmed", { quoteId, collection: "demo-apes", tokenId: "12" }, { txHash: "0x1", priceApe: 2, priceWei: "2" }, real);
  confirmed("q_1");
  confirmed("q_2");
  assert.deepEqual(counts(), [2, 4n]);
  add("nft.buy.unknown", { quoteId: "q_1" }, { txHash: "0x1", sent: "yes", reason: "a reorganisation took it back" }, bad);
  assert.deepEqual(counts(), [1, 2n]);
  confirmed("q_1");
  confirmed("q_1"); // told again
  assert.deepEqual(counts(), [2, 4n]);
  add("nft.buy.cancelled", { quoteId: "q_1" }, { txHash: "0x2" }, real);
  assert.deepEqual(counts(), [1, 2n]);
});

test("purchases that end another way", () => {
  const store = new Store();
  const add = (...args) => store.add(line(...args), String(store.seq));
  const said = (...args) => (({ say, outcome }) => [say, outcome])(add(...args));
  add("nft.quote.created", { collection: "demo-apes", tokenId: "12" }, { quoteId: "q_1", priceApe: 12.5, priceWei: "12500000000000000000" });
  const real = { dryRun: false }, bad = { dryRun: false, ok: false, error: "x" };
  assert.deepEqual(said("nft.buy.retry", { quoteId: "q_1", attempt: 2 }, { retried: true }, real), ["Tried again (attempt 2) to buy Demo Apes #12", "pending"]);
  assert.deepEqual(said("nft.buy.replacing", { quoteId: "q_1" }, { txHash: "0x2", kind: "cancel" }, real), ["Sent the cancellation of the purchase of Demo Apes #12", "pending"]);
  assert.deepEqual(said("nft.buy.replacing", { quoteId: "q_1" }, { txHash: "0x3", kind: "reprice" }, real), ["Sent again, with a higher fee, the purchase of Demo Apes #12", "pending"]);
  assert.deepEqual(said("nft.buy.cancelled", { quoteId: "q_1" }, { txHash: "0x2", feeWei: "21000000000000" }, real), ["Cancelled the purchase of Demo Apes #12: only the fee of 0.000021 APE is gone", "cancelled"]);
  assert.deepEqual(said("nft.buy.replaced", { quoteId: "q_1" }, { txHash: "0x1", reason: "nonce 3 is used" }, bad), ["Another transaction took the place of the purchase of Demo Apes #12: nonce 3 is used", "failed"]);
  assert.deepEqual([store.sums.real.buys, store.sums.real.wei], [0, 0n]); // none of them bought anything
  assert.deepEqual(said("nft.autobuy.planned", {}, { selectedCount: 2, totalWei: "8003100000000000000", wouldBlock: ["phrase"] }), ["Planned 2 purchases for 8.0031 APE, 1 gate would refuse", "ok"]);
  assert.deepEqual(said("nft.autobuy.partial", {}, { executed: 1, failed: 2, spentWei: "4000000000000000000" }, bad), ["Bought 1 for 4 APE, 2 not bought", "failed"]);
  assert.deepEqual(said("nft.resume.ran", {}, { settled: 1, open: 0 }, real), ["Looked for outcomes: 1 settled, nothing is open", "ok"]);
});

test("the fence in sentences", () => {
  const store = new Store();
  const say = (...args) => flat(store.add(line(...args), String(store.seq)).parts);
  assert.equal(say("policy.initialized", {}, { maxPricePerTx: 5, dailySpendCap: "unlimited" }), "Wrote the policy: 5 APE a purchase, any amount a day");
  assert.equal(say("policy.halted", {}, { halted: ["policy: odd"], reason: "odd prices" }), "Halted all spending: odd prices");
  assert.equal(say("policy.unhalted", {}, { removed: ["policy: odd"], halted: [] }), "Lifted the halt");
  assert.equal(say("policy.unhalted", {}, { removed: ["policy: odd"], halted: ["ai: x"] }), "Lifted a part of the halt: 1 cause left");
  assert.equal(say("policy.explained", { command: "ape-claw nft buy" }, { spends: true, refusing: ["spend"], gates: 13 }), "Explained nft buy: 1 gate would refuse");
  assert.equal(say("policy.spend.read", {}, { items: 1, open: 1, spentWei: "4000000000000000000" }), "Read the spending of 24 hours: 4 APE, 1 open");
  assert.equal(say("allowlist.entry.added", {}, { slug: "my-apes", contractAddress: "0x1234567890123456789012345678901234567890", added: true }), "Allowed collection My Apes (0x1234…7890)");
  assert.equal(say("allowlist.entry.removed", {}, { slug: "my-apes" }), "No longer allowed: My Apes");
});

test("models and people in sentences", () => {
  const store = new Store();
  const say = (...args) => flat(store.add(line(...args), String(store.seq)).parts);
  const model = { agentId: "conn:main" }, bad = { ok: false, error: "the node did not answer" };
  assert.equal(say("ai.tool.called", { tool: "nft_quote" }, { outcome: "ok" }, model), "main called nft_quote");
  assert.equal(say("ai.tool.called", { tool: "nft_quote" }, { outcome: "error", code: "not_found" }, model), "main called nft_quote: not_found");
  assert.equal(say("ai.mcp.called", { tool: "nft_buy" }, { outcome: "proposed" }, { agentId: "mcp:claude" }), "claude called nft_buy: it waits for a person");
  assert.equal(say("ai.action.proposed", { tool: "nft_buy", origin: "conn:main" }, { title: "Buy demo-apes #7 for 1 APE" }), "Asks for approval: Buy demo-apes #7 for 1 APE, of main");
  assert.equal(say("ai.action.resolved", {}, { approved: false, state: "rejected", reason: "too dear" }), "An action is rejected: too dear");
  assert.equal(say("ai.action.executed", { tool: "nft_buy" }, { state: "executed" }), "Carried out nft_buy");
  assert.equal(say("ai.action.executed", { tool: "nft_buy" }, { state: "failed", outcome: "unknown" }, bad), "Could not carry out nft_buy: it may have happened: the node did not answer");
  assert.equal(say("ai.kill.changed", { on: true, reason: "odd" }, {}), "Stopped all models: odd");
  assert.equal(say("ai.turn.failed", { participant: "conn:main" }, { code: "provider_error" }, bad), "main did not end its answer: provider_error");
});

test("what happens on chain in sentences", () => {
  const store = new Store();
  const say = (...args) => flat(store.add(line(...args), String(store.seq)).parts);
  const real = { dryRun: false }, bad = { dryRun: false, ok: false, error: "the skill is not yours" };
  const a = "0x1234567890123456789012345678901234567890", call = { op: "skill.publish", contract: "SkillRegistry", address: a, valueWei: "0" };
  assert.equal(say("v2.skill.minted", { parentId: "0" }, { skillId: 3 }, real), "Minted skill #3");
  assert.equal(say("v2.skill.minted", { parentId: "2" }, { skillId: 3 }, real), "Minted skill #3 from #2");
  assert.equal(say("v2.skill.version.published", { skillId: "3", version: "1.0.0" }, { skillId: 3 }, real), "Published version 1.0.0 of skill #3");
  assert.equal(say("v2.intent.read", { intentId: "1" }, { intentId: 1, active: false, exists: true }), "Read intent #1: it is over");
  assert.equal(say("v2.receipt.read", { traceId: "trace_1" }, { traceId: "trace_1", isRecorded: true, agrees: false }), "The receipt of trace_1 is on chain, and not as in the log");
  assert.equal(say("v2.receipt.skipped", { traceId: "trace_1" }, { code: "halted", reason: "spending is halted" }, { ok: false, error: "spending is halted" }), "No receipt was recorded of trace_1: spending is halted");
  assert.equal(say("v2.vault.read", {}, { vault: a, members: 2, balanceWei: "1500000000000000000" }), "Read the vault: 2 members and 1.5 APE");
  assert.equal(say("v2.vault.release", { member: a }, { tx: "0x1", member: a, amountWei: "500000000000000000" }, real), "Paid 0.5 APE out of the vault to 0x1234…7890");
  assert.equal(say("v2.vault.release", { member: a, token: a }, { tx: "0x1", member: a, amountWei: "500000000000000000", token: a }, real), "Paid a share out of the vault to 0x1234…7890");
  assert.equal(say("v2.agent.execute", { module: a, target: a, valueWei: "1000000000000000000" }, { tx: "0x1", module: a, traceId: "t" }, real), "The agent account ran 0x1234…7890 on 0x1234…7890 with 1 APE");
  assert.equal(say("v2.contract.deployed", { network: "sandbox" }, { contract: "SkillNFT", address: a }, real), "Deployed SkillNFT at 0x1234…7890");
  assert.equal(say("v2.deploy.planned", { network: "sandbox" }, { network: "sandbox", steps: 21, done: 2, wouldBlock: [{}] }), "Planned a deployment on sandbox: 19 steps to do, 1 gate would refuse");
  assert.equal(say("v2.tx.dry_run", call, { wouldSend: true, wouldBlock: [] }), "Would publish a version, nothing was sent");
  assert.equal(say("v2.tx.submitted", call, { txHash: "0x1" }, real), "Sent the transaction to publish a version");
  assert.equal(say("v2.tx.reverted", call, { txHash: "0x1", reason: "the skill is not yours" }, bad), "Could not publish a version: it reverted: the skill is not yours");
  assert.equal(say("v2.tx.cancelled", call, { txHash: "0x1", feeWei: "1000000000000000" }, real), "Cancelled: it did not publish a version; only the fee of 0.001 APE is gone");
  assert.deepEqual(["v2.tx.submitted", "v2.tx.cancelled", "v2.tx.reverted"].map((type) => store.add(line(type, call, {}, type.endsWith("ed") && type !== "v2.tx.reverted" ? real : bad), String(store.seq)).outcome), ["pending", "cancelled", "failed"]);
});

test("events of any shape get a sentence", () => {
  const store = new Store();
  const shapes = [null, 1, "x", [], {}, { quote: 3 }, { wouldBlock: "x", count: {}, issues: 1, reason: { a: 1 } }];
  for (const type of ["nft.buy.dry_run", "ai.tool.called", "ai.action.executed", "ai.message.created", "ai.kill.changed", "doctor.ran", "chain.info.read", "bridge.quote.created", "v2.skill.minted", "v2.vault.release", "v2.agent.execute", "v2.deploy.planned", "v2.tx.dry_run", "v2.policy.set", "v2.receipt.skipped", "constructor", "__proto__", "", "x"])
    for (const payload of shapes) for (const result of shapes) assert.ok(flat(store.record(line(type, payload, result, { chainId: "x" }), "").parts).length > 0, type);
  for (const bad of ["", "nope", "[]", "3", "null"]) assert.equal(store.record(bad, ""), null);
  assert.ok(store.record("{}", ""));
});

test("the store is bounded and takes each id once", () => {
  const store = new Store();
  let bites = 0;
  for (let i = 0; i < HOLD + 3 * BITE; i++) {
    store.add(line("a.b", {}, { i }, { traceId: `t${i % 700}`, agentId: `g${i % 3}` }), `aa-${i}`);
    if (store.full) {
      const left = store.bite();
      assert.equal(store.all[0].seq, left);
      bites++;
    }
  }
  assert.ok(bites > 0 && bites < 5, `${bites} bites`); // few: none is made for each event
  assert.ok(store.all.length <= HOLD + BITE, String(store.all.length));
  assert.equal(store.add(line("a.b", {}, {}), store.all.at(-1).id), null);
  const traced = [...store.traces.values()].reduce((n, l) => n + l.length, 0);
  assert.equal(traced, store.all.length);
  assert.equal(store.events, store.all.length);
  assert.equal([...store.agents.values()].reduce((a, b) => a + b), store.all.length);
  assert.equal(store.sums.real.events + store.sums.dry.events + store.sums.sandbox.events, store.all.length);
  assert.equal(store.all[place(store.all, store.all[77].seq)], store.all[77]);
});

test("the store is bounded in bytes too", () => {
  const store = new Store();
  const big = "x".repeat(1 << 20);
  for (let i = 0; i < 80; i++) {
    store.add(line("a.b", { big }, { i }), `aa-${i}`);
    if (store.full) store.bite();
  }
  assert.ok(store.all.length < 72 && store.all.length > 50, String(store.all.length));
});

test("steps of a trace that were fetched come before those held, each once", () => {
  const store = new Store();
  const steps = Array.from({ length: 6 }, (_, i) => line("a.b", {}, { i }, { traceId: "t1" }));
  store.add(steps[3], "aa-3");
  store.add(steps[4], "aa-4");
  store.before("t1", steps, false); // the last one is still to come by the stream
  assert.deepEqual(store.steps("t1").map((r) => r.raw), steps.slice(0, 5));
  store.add(steps[5], "aa-5");
  assert.deepEqual(store.steps("t1").map((r) => r.raw), steps);
  assert.ok(store.steps("t1").every((r, i, all) => i === 0 || all[i - 1].seq < r.seq));
  store.before("t2", [line("a.b", {}, {}, { traceId: "t2" })], false); // fetched before any came
  store.add(line("a.b", {}, {}, { traceId: "t2" }), "aa-6");
  assert.equal(store.steps("t2").length, 1);
});

test("filters", () => {
  const store = new Store();
  const rec = store.add(line("nft.buy.dry_run", { quoteId: "q_9", note: "a.b(c)[d]" }, {}), "aa-1");
  const f = (o) => compile({ ...noFilter(), ...o })(rec);
  for (const yes of [{}, { type: "nft.*" }, { type: "nft.buy.dry_run" }, { agent: "a" }, { trace: "t" }, { text: "Q_9" }, { text: "WOULD buy quote" }, { text: "a.b(c)[d]" }, { modes: new Set(["dry"]) }]) assert.ok(f(yes), JSON.stringify(yes));
  for (const no of [{ type: "nftx.*" }, { type: "nft.buy" }, { agent: "b" }, { trace: "x" }, { text: "zzz" }, { text: "a.b.c" }, { modes: new Set(["real"]) }, { outcomes: new Set(["failed"]) }]) assert.ok(!f(no), JSON.stringify(no));
  assert.ok(compile({ ...noFilter(), text: "zzz" })(store.note("a note", 0)));
});

test("a ring keeps the newest within its bounds, each under its number", () => {
  const ring = new Ring(100, 1000);
  for (let i = 0; i < 5000; i++) ring.push({ raw: "12345", i });
  assert.deepEqual([ring.length, ring.first, ring.next, ring.chars], [100, 4900, 5000, 500]);
  assert.deepEqual(ring.from(4990, 3, 1e9).map((x) => x.i), [4990, 4991, 4992]);
  assert.equal(ring.from(4990, 100, 11).length, 3); // about so many characters
  ring.push({ raw: "x".repeat(990), i: 5000 });
  assert.deepEqual([ring.length, ring.first], [3, 4998]);
  ring.push({ raw: "x".repeat(9000) }); // one at least is kept
  assert.deepEqual([ring.length, ring.first, ring.next], [1, 5001, 5002]);
  assert.equal(ring.shift().raw.length, 9000);
  assert.deepEqual([ring.length, ring.chars], [0, 0]);
});

test("rates are counted by the second and forgotten after five minutes", () => {
  const r = new Rates(300);
  const t = 1_800_000_000_000;
  for (let s = 0; s < 20; s++) for (let k = 0; k < 50; k++) {
    r.add(t + s * 1000, 450);
    if (k % 5 === 0) r.pass(t + s * 1000);
  }
  assert.deepEqual(r.now(t + 20_000), { all: 50, passed: 10, chars: 22_500 });
  assert.equal(r.now(t + 23_000).all, 20);
  assert.equal(r.series(r.all, t + 20_000).reduce((a, b) => a + b), 1000);
  assert.equal(r.series(r.all, t + 320_000).reduce((a, b) => a + b), 0);
  r.add(t, 1); // too long ago
  assert.equal(r.series(r.all, t + 320_000).reduce((a, b) => a + b), 0);
});

test("lag, and clocks that differ", () => {
  const lag = (late, offset = 0) => {
    const l = new Lag();
    for (let i = 0; i < 100; i++) l.add(1e12, 1e12 - late - i / 100);
    return l.now(1e12 + 1000, offset);
  };
  assert.equal(Math.round(lag(12).p50), 13);
  assert.equal(lag(12).told, true);
  assert.equal(lag(-5).p50, 0); // clocks in step, as far as one can tell
  assert.equal(lag(-5000).told, false);
  assert.equal(lag(3_600_000).told, false);
  // This clock is 5 s behind the server's: told, and corrected.
  const l = lag(-4990, 5000);
  assert.deepEqual([l.told, Math.round(l.p50), l.differs], [true, 11, -5000]);
  assert.equal(new Lag().now(1e12).n, 0);
  assert.equal(offsetOf("2026-11-30T12:00:00.000Z", Date.parse("2026-11-30T11:59:59.990Z"), Date.parse("2026-11-30T12:00:00.010Z")), 0);
  assert.equal(offsetOf("2026-11-30T12:00:05.000Z", Date.parse("2026-11-30T11:59:59.990Z"), Date.parse("2026-11-30T12:00:00.000Z")), 5000);
  assert.equal(behind("ab12-100", "ab12-350"), 250);
  assert.equal(behind("ab12-100", "cd34-350"), undefined);
});

test("error answers in words, with what to do", () => {
  for (const status of [401, 403, 429, 503, 500, 502]) {
    const { state, why } = explain(status);
    assert.ok(["login", "refused", "stale"].includes(state) && why.length > 10, `${status}`);
  }
  assert.equal(explain(503, { error: "all 512 streams are taken", hint: "try again in 5 s" }).why, "all 512 streams are taken");
});

test("a line's members keep their own text", () => {
  const raw = '{ "v" : 1, "n":10.123456789012345678,"s":"a\\"b:{,","o":{"v":2,"x":[1,{"y":"]"}]},"l":[1, 2] ,"e":null,"s":"last" }';
  assert.deepEqual([...members(raw)], [["v", "1"], ["n", "10.123456789012345678"], ["s", '"last"'], ["o", '{"v":2,"x":[1,{"y":"]"}]}'], ["l", "[1, 2]"], ["e", "null"]]);
  assert.equal(members("{}").size, 0);
});

test("CSV has the columns of events export, and no formulas", () => {
  const row = (o) => csvRow(JSON.stringify(o));
  assert.equal(COLUMNS.join(), "v,ts,eventType,agentId,sessionId,traceId,command,dryRun,chainId,payload,result,ok,error,source,eventId");
  assert.equal(row({ v: 1, eventType: "a.b", ok: true, error: null, payload: { a: 'x"y' }, extra: 1 }), '1,,a.b,,,,,,,"{""a"":""x\\""y""}",,true,,,');
  for (const evil of ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\nx", " =1", "＝1"]) assert.match(row({ agentId: evil }).split(",")[3], /^"?'/, JSON.stringify(evil));
  assert.equal(row({ chainId: -5, agentId: "a,b\nc" }), ',,,"a,b\nc",,,,,-5,,,,,,');
  assert.equal(csvRow('{"data":1.50000000000000000001,"result":"=x"}'), ',,,,,,,,,1.50000000000000000001,"""=x""",,,,');
});

// TestCSVHidesNoFormulaInACell (telemetry/export_log_test.go) has the same table.
test("CSV hides no formula inside of a cell", () => {
  for (const [json, want] of [
    [String.raw`"a;=1+1"`, "a;'=1+1"],
    [String.raw`"a; \u00a0@x;b"`, "a;' \u00a0@x;b"],
    [String.raw`"a;\"=1+1;b"`, `a;'"=1+1;b`],
    [String.raw`"x\n=1\r\n+2\t-3"`, "x\n'=1\r\n'+2\t'-3"],
    [String.raw`"\u00a0=1"`, "'\u00a0=1"],
    [String.raw`"\ufeff\u200b\u3000＝1"`, "'\ufeff\u200b\u3000＝1"],
    [String.raw`" \t=1"`, "' \t'=1"],
    [String.raw`";;=1;"`, ";;'=1;"],
    [String.raw`"a;b\nc - d; 5-3"`, "a;b\nc - d; 5-3"],
    ['["a;=1+1; b;\\u00a0=2",";",-5]', '["a\\u003b=1+1; b;\\u00a0=2",";",-5]'],
    ['{"b":"c;\u00a0@SUM(1);","n":-1}', '{"b":"c\\u003b\u00a0@SUM(1);","n":-1}'],
  ]) {
    const cell = csvRow(`{"agentId":${json}}`).slice(3, -11);
    assert.equal(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell, want, json);
  }
});

test("what has no look is written out", () => {
  assert.equal(visible("plain text"), "plain text");
  assert.equal(visible("é 猫 🦍 👨\u200d👩\u200d👧"), "é 猫 🦍 👨\u200d👩\u200d👧");
  assert.equal(visible("a\u202eb\u0000\u001b[31m\u200b\n\ufeff"), "a\\u202eb\\u0000\\u001b[31m\\u200b\\n\\ufeff");
  assert.equal(visible("x\u200dy\ud800z"), "x\\u200dy\\ud800z");
  assert.equal(clip("abc", 2), "ab…");
  assert.ok(clip("🦍".repeat(10), 3).isWellFormed());
});
