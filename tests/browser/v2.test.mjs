// What is on chain, as the page shows it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { addr, chainPage, chainServer, config, hash, names, nothing, receipt, recorded, skills, vault } from "./chain.mjs";
import { append, clean, live, openPage, text, until } from "./harness.mjs";

const lines = (page, part) => page.locator(`#chain-${part} li`).evaluateAll((all) => all.map((n) => n.innerText.replace(/\s+/g, " ").trim()));
const shown = (page, what, part, want) => until(what, async () => want((await lines(page, part)).join("\n")));
const refused = (page, ...statuses) => {
  const left = page.complaints.filter((c) => !statuses.some((s) => c.includes(`the server responded with a status of ${s}`)));
  page.complaints.splice(0, Infinity, ...left);
};

test("contracts, shares, skills and receipts are shown as the server says", async (t) => {
  const s = await chainServer(t);
  await append(s.dir, recorded("trace_one"), recorded("trace_two"), recorded("trace_three"), recorded("trace_four"), recorded("trace_elsewhere", { chainId: 33139 }));
  await s.says({ receipts: {
    trace_one: receipt(true, "each of the 5 lines that the receipt lists is in the log as it was hashed"), trace_two: receipt(false, "the log's line nft.buy.confirmed of today is missing"),
    trace_three: receipt(null, "the local log does not tell of this receipt"), trace_four: { isRecorded: false },
  } });
  const page = await chainPage(t, s);
  await until("the first line", async () => (await text(page, "chain-title")) === "11 contracts on Sandbox ApeChain, each with the code that this ape-claw knows");
  const contracts = await lines(page, "contracts");
  assert.deepEqual(contracts.map((l) => l.split(" ")[0]), names);
  assert.match(contracts[3], new RegExp(`^ReceiptRegistry ${addr(4)} Known code$`));
  assert.equal(await text(page, "chain-contracts-more"), "addresses from the deployment record");
  await shown(page, "the vault", "vault", (v) => /75 %/.test(v));
  assert.deepEqual((await lines(page, "vault")).map((l) => l.replace(/0x\w+ /, "")), [
    "75 % 750 of 1000 shares · can take 2.625 APE · took 0 APE", "25 % 250 of 1000 shares · can take 0.875 APE · took 1 APE"]);
  assert.match(await page.locator("#chain-vault .sums").innerText(), /holds\s+3\.5 APE\s+members\s+2/);
  assert.deepEqual(await page.locator("#chain-vault .bar i").evaluateAll((all) => all.map((b) => b.style.width)), ["75%", "25%"]);
  const minted = await lines(page, "skills");
  assert.match(minted[0], /^#2 no version yet .* made from #1 · 0 versions$/);
  assert.match(minted[1], /^#1 risk 2 .* 3 versions, the newest 2 h ago https:\/\/skills\.example/);
  assert.equal(await page.locator("#chain-skills a").count(), 0, "an address that a stranger chose is no link");
  await shown(page, "the receipts", "receipts", (v) => !/Looking|Not looked/.test(v) && /trace_one/.test(v));
  const seen = await lines(page, "receipts");
  assert.match(seen[0], /^trace_four Not on chain$/);
  assert.match(seen[1], /^trace_three On chain; the log can't tell the local log does not tell/);
  assert.match(seen[2], /^trace_two On chain, and not as in the log the log's line nft\.buy\.confirmed of today is missing/);
  assert.match(seen[3], /^trace_one On chain, as in the log each of the 5 lines/);
  assert.equal(seen.length, 4, "what was recorded on another chain is not asked about here");
  clean(page);
});

test("what is wrong with a contract is said, and nothing is read from it", async (t) => {
  const s = await chainServer(t);
  await s.says({ config: config({ PodVault: { state: "foreign" }, SkillNFT: { state: "listed", from: "--skill-nft" }, SkillRegistry: { state: "missing", address: undefined }, ReceiptRegistry: { state: "foreign" }, MockTarget: { state: "tomorrow" } }), fail: { vault: "internal", skills: "internal", receipt: "internal" } });
  await append(s.dir, recorded("trace_one"));
  const page = await chainPage(t, s);
  await until("the first line", async () => (await text(page, "chain-title")) === "6 of 11 contracts on Sandbox ApeChain can be vouched for");
  const contracts = (await lines(page, "contracts")).join("\n");
  for (const want of [/PodVault 0x\w+ Not what it should be/, /SkillNFT 0x\w+ Other code, allowed by policy address from --skill-nft/,  /SkillRegistry Not deployed/, /MockTarget 0x\w+ Not read address from the deployment record/, /AgentAccount 0x\w+ Known code/]) assert.match(contracts, want);
  assert.match(await text(page, "chain-vault"), /no vault/);
  assert.match(await text(page, "chain-skills"), /no skills/);
  assert.match(await text(page, "chain-receipts"), /no registry/);
  assert.ok(await page.locator("#chain-ask").isHidden());
  assert.deepEqual(await s.asked(), []);
  clean(page);
});

test("where nothing is deployed it says how to", async (t) => {
  const s = await chainServer(t);
  await s.says({ config: nothing() });
  const page = await chainPage(t, s);
  await until("the first line", async () => (await text(page, "chain-title")) === "Nothing is deployed on Sandbox ApeChain");
  assert.match(await text(page, "chain-contracts"), /ape-claw v2 deploy/);
  clean(page);
});

test("a node that fails is told, in whole and in part, and comes back", async (t) => {
  const s = await chainServer(t);
  await s.says({ fail: { config: "upstream" } });
  const page = await chainPage(t, s);
  await until("it is told", async () => (await text(page, "chain-title")) === "The chain can't be read");
  assert.match(await text(page, "chain-trouble"), /the node can't be reached, or does not answer as it should/);
  assert.ok(await page.locator("#chain .chain-parts").isHidden());
  await s.says({ fail: { vault: "upstream", receipt: "upstream" } });
  await append(s.dir, recorded("trace_one")); // whose coming makes the page look
  await until("the rest is shown", async () => /^11 contracts/.test(await text(page, "chain-title")));
  assert.equal(await text(page, "chain-trouble"), "");
  await until("the vault is not", async () => /the vault can't be read: the node/.test(await text(page, "chain-vault")));
  await shown(page, "nor the receipt", "receipts", (v) => /trace_one Can't be read receipts can't be read: the node/.test(v));
  await s.says({ fail: {}, receipts: { trace_one: receipt(true, "") } });
  await until("looking again helps", async () => {
    await page.locator("#chain-again").click();
    return /as in the log/.test((await lines(page, "receipts")).join());
  });
  await shown(page, "the vault", "vault", (v) => /75 %/.test(v));
  refused(page, 502);
  clean(page);
});

test("what happens on chain is shown as it happens, and only while it is looked at", async (t) => {
  const s = await chainServer(t);
  const page = await openPage(t, s.url);
  await live(page);
  await append(s.dir, recorded("trace_before"));
  await until("the event", async () => (await text(page, "count")) === "1 event");
  assert.deepEqual(await s.asked(), [], "nothing is asked of the chain for the list of events");
  await page.keyboard.press("v");
  await shown(page, "what the log had", "receipts", (v) => /trace_before Not on chain/.test(v));
  await s.says({ receipts: { trace_now: receipt(true, "") }, vault: vault({ balanceWei: "0" }) });
  await append(s.dir, recorded("trace_now"));
  await shown(page, "the new one, on top", "receipts", (v) => /^trace_now On chain, as in the log/.test(v));
  await until("the vault as it is now", async () => /holds\s+0 APE/.test(await page.locator("#chain-vault .sums").innerText()));
  await page.keyboard.press("Escape");
  await page.locator("#events").waitFor();
  clean(page);
});

test("a receipt is asked for by its trace, and leads to its events", async (t) => {
  const s = await chainServer(t);
  const odd = "trace_a.q_1:b@c-D";
  await s.says({ receipts: { [odd]: receipt(null, "the local log does not tell of this receipt", { uri: "ipfs://x" }) } });
  const page = await chainPage(t, s);
  await page.fill("#chain-trace", odd);
  await page.keyboard.press("Enter");
  await shown(page, "the answer", "receipts", (v) => v.startsWith(`${odd} On chain; the log can't tell`));
  assert.deepEqual(await s.asked(), [odd]);
  await page.locator("#chain-receipts summary").click();
  const facts = await page.locator("#chain-receipts .card-facts").innerText();
  for (const want of [hash(3), hash(4), hash(5), addr(0xc1), "ipfs://x"]) assert.ok(facts.includes(want), want);
  await page.locator(".trace-link").click();
  await page.locator("#events").waitFor();
  assert.equal(await page.inputValue("#f-trace"), odd);
  await page.goBack();
  await page.locator("#chain-receipts").waitFor();
  clean(page);
});

test("by keyboard, between the views", async (t) => {
  const s = await chainServer(t);
  await append(s.dir, recorded("trace_one"));
  const page = await openPage(t, s.url);
  await live(page);
  const where = () => page.locator(".views [aria-current=page]").innerText();
  for (const [key, want] of [["v", "On chain"], ["a", "Approvals"], ["v", "On chain"], ["v", "Events"], ["a", "Approvals"], ["Escape", "Events"], ["v", "On chain"], ["Escape", "Events"]]) {
    await page.keyboard.press(key);
    await until(`${key} leads to ${want}`, async () => (await where()) === want);
    assert.equal(await page.locator("main:visible").count(), 1);
  }
  await page.keyboard.press("v");
  await page.locator("#chain-trace").focus();
  await page.keyboard.type("av");
  assert.equal(await where(), "On chain", "letters in a field are letters");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await until("out of the field, then out of the view", async () => (await where()) === "Events");
  clean(page);
});

const hostile = {
  markup: '<img src=x onerror="window.owned=1"><script>window.owned=1</script>',
  bidi: "abc\u202egpj.exe\u202c \u2066isolated\u2069",
  ansi: "\u001b[31mred\u001b[0m\u001b]0;title\u0007",
  unseen: "a\u200bb\u200cc\ufefff\u00adg\u3164h",
  lines: "one\ntwo\r\nthree\u2028four",
  javascript: "javascript:window.owned=1//",
  wide: "W".repeat(5000),
  zalgo: "Z" + "\u0310\u0321".repeat(100),
};

test("strangers' text stays text, in its place", async (t) => {
  const s = await chainServer(t);
  for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    const page = await chainPage(t, s, { viewport });
    for (const [kind, evil] of Object.entries(hostile)) {
      const trace = `trace_${kind}_${viewport.width}`;
      await s.says({
        config: config(Object.fromEntries(names.map((n) => [n, { address: evil, from: evil }])), { network: evil }),
        vault: vault({ vault: evil, balanceWei: evil, totalShares: evil, members: [{ address: evil, shares: evil, pendingWei: evil, releasedWei: evil }] }),
        skills: skills({ count: evil, skills: [{ skillId: evil, parentId: evil, owner: evil, versions: evil, uri: evil, riskTier: 1, publishedAt: evil, publisher: evil }] }),
        receipts: { [trace]: { ...receipt(false, evil), receipt: { traceIdHash: evil, contentHash: evil, subject: evil, uri: evil, recordedAt: evil, recorder: evil } } },
      });
      for (const id of [evil.slice(0, 100).trim(), trace]) { // a text that can be no trace's id is refused, and shown
        await page.fill("#chain-trace", id);
        await page.locator("#chain-ask button").click();
      }
      await shown(page, "the receipt", "receipts", (v) => v.startsWith(trace) && /and not as in the log/.test(v) && !/Looking/.test(v));
      await page.locator("#chain-receipts summary").first().click();
      await until("it is shown", async () => {
        await page.locator("#chain-again").click();
        return (await page.locator("#chain-skills .uri").count()) && !(await text(page, "chain-contracts")).includes(addr(1));
      });
      const found = await page.evaluate(() => {
        const out = [];
        const seen = document.getElementById("chain").textContent + [...document.querySelectorAll("#chain [title]")].map((n) => n.title).join("");
        const odd = seen.match(/[\u0001-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u200b\u2028-\u202e\u2066-\u206f\ufeff\u3164\p{Surrogate}]/gu);
        if (odd) out.push(`unseen: ${[...new Set(odd)].map((c) => c.codePointAt(0).toString(16))}`);
        if (document.documentElement.scrollWidth > innerWidth) out.push("the page is wider than the window");
        const view = document.getElementById("chain");
        if (view.scrollWidth > view.clientWidth) out.push("the view is wider than its place");
        return out;
      });
      assert.deepEqual(found, [], `${kind}, ${viewport.width}`);
    }
    assert.equal(await page.evaluate(() => window.owned), undefined);
    assert.equal(await page.locator("#chain :is(img, script, iframe, a)").count(), 0);
    refused(page, 400);
    clean(page);
    await page.close();
  }
});

test("axe finds nothing, in the dark, in the light, and on a phone", async (t) => {
  const s = await chainServer(t);
  await append(s.dir, recorded("trace_one"), recorded("trace_two"), recorded("trace_three"), recorded("trace_four"));
  await s.says({
    config: config({ MockTarget: { state: "missing", address: undefined, from: undefined }, SwapModule: { state: "foreign" }, BridgeModule: { state: "listed" } }),
    receipts: { trace_one: receipt(true, "x"), trace_two: receipt(false, "y"), trace_three: receipt(null, "z") },
  });
  // axe is injected, which the page's policy rightly refuses: for this test it is off.
  const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
  for (const [colorScheme, viewport] of [["dark", { width: 1440, height: 900 }], ["light", { width: 1440, height: 900 }], ["light", { width: 390, height: 844 }]]) {
    const page = await chainPage(t, s, { colorScheme, viewport, bypassCSP: true });
    await shown(page, "all receipts", "receipts", (v) => /Not on chain/.test(v) && !/Looking/.test(v));
    await page.locator("#chain-receipts summary").first().click();
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run().then((r) => r.violations.map((v) => [v.id, ...v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`)])));
    assert.deepEqual(found, [], `${colorScheme}, ${viewport.width}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${colorScheme}-${viewport.width}.png` });
    clean(page);
  }
});
