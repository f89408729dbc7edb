// What models ask for, as a person decides on it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { openPage, openTab, live, clean, until, text } from "./harness.mjs";
import { buy, choose, halt, inbox, PASS, prove, stage, state, threeSteps } from "./stage.mjs";

/** The console tells of answers that refuse; whoever provokes one takes it out. */
const refused = (page, ...statuses) => {
  const left = page.complaints.filter((c) => !statuses.some((s) => c.includes(`the server responded with a status of ${s}`)));
  page.complaints.length = 0;
  page.complaints.push(...left);
};
const types = (server) => readFileSync(join(server.dir, "events.jsonl"), "utf8").trim().split("\n").map((l) => JSON.parse(l).eventType);
const alert = (page) => page.locator(".decide [role=alert]").textContent();

test("a high risk is approved in three steps, executed, and told live", async (t) => {
  const s = await stage(t);
  const card = buy();
  const page = await inbox(t, s);
  assert.equal(await text(page, "inbox-title"), "Nothing waits for you");
  await s.propose({ card, claim: "Token 12 for 12.5 APE.", taint: ["market_listings"] });
  await until("it is told by the stream", async () => (await text(page, "inbox-title")) === "1 request waits for you");
  assert.equal(await text(page, "view-approvals-count"), "1");
  await choose(page, "#12");
  // Facts first, then where the model got it from, then its words.
  const order = await page.locator("#card article > *").evaluateAll((all) => all.map((n) => n.className || n.tagName));
  const place = (c) => order.findIndex((x) => x.includes(c));
  assert.ok(place("truth") < place("taint") && place("taint") < place("claim") && place("claim") < place("decide"), order.join());
  assert.match(await page.locator(".truth").textContent(), /12\.5 APE.*demo-apes.*0x84d6A9d2/s);
  assert.match(await page.locator(".claim").textContent(), /^The model says/);
  assert.match(await page.locator("#card-left").textContent(), /^\d+:\d\d left$/);
  await page.click("#approve");
  await prove(page);
  await threeSteps(page, card);
  await page.click("#execute");
  await state(page, "Executing");
  assert.equal(await page.locator(".decide").textContent(), "", "nothing is left to press");
  const txHash = "0x" + "ab".repeat(32);
  await s.end({ TxHash: txHash });
  await state(page, "Executed");
  assert.match(await page.locator(".ending").textContent(), new RegExp(txHash));
  await until("it no longer counts", async () => (await text(page, "inbox-title")) === "Nothing waits for you");
  assert.deepEqual(types(s).filter((x) => x.startsWith("ai.action.")), ["ai.action.proposed", "ai.action.resolved", "ai.action.executed"]);
  clean(page);
});

test("what only looks the same is not the same", async (t) => {
  const s = await stage(t);
  const card = buy();
  await s.propose({ card });
  const page = await inbox(t, s);
  await choose(page, "#12");
  await page.click("#approve");
  await prove(page);
  for (const [over, why] of [
    [{ collection: "demo-\u0430pes" }, /collection is not what was retyped/], // a Cyrillic a
    [{ collection: "demo-apes\u200b" }, /collection is not what was retyped/],
    [{ tokenId: "12 " }, /tokenId is not what was retyped/],
    [{ priceApe: "12.50" }, /priceApe is not what was retyped/],
    [{ phrase: card.phrase.replace("B", "\u0412") }, /phrase/],
  ]) {
    await threeSteps(page, card, over);
    await page.click("#execute");
    await until("it is refused", async () => why.test(await alert(page)));
    assert.equal(await page.locator("#execute").isEnabled().catch(() => false) || (await until("it can be tried again", () => page.locator("#execute").isEnabled())), true);
  }
  refused(page, 403);
  await threeSteps(page, card);
  await page.click("#execute");
  await state(page, "Executing");
  await s.end({ Code: "tx_reverted", Error: "the transaction was reverted", Hint: "quote again" });
  await state(page, "Failed");
  assert.match(await page.locator(".ending").textContent(), /reverted.*quote again/s);
  clean(page);
});

test("nothing can be sent before all three steps are made", async (t) => {
  const s = await stage(t);
  const card = buy();
  await s.propose({ card });
  const page = await inbox(t, s);
  await choose(page, "#12");
  await page.click("#approve");
  await prove(page);
  await threeSteps(page, card);
  for (const undo of [() => page.uncheck("#ack"), () => page.fill("#id-tokenId", ""), () => page.fill("#typed-phrase", "")]) {
    await undo();
    assert.ok(await page.locator("#execute").isDisabled());
    await threeSteps(page, card);
    assert.ok(await page.locator("#execute").isEnabled());
  }
  clean(page);
});

test("one is rejected, with a reason", async (t) => {
  const s = await stage(t, { passphrase: "" }); // to refuse takes none
  await s.propose();
  const page = await inbox(t, s);
  await choose(page, "#12");
  await page.click("#reject");
  await page.fill("#reason", "too dear");
  await page.keyboard.press("Enter");
  await state(page, "Rejected");
  assert.match(await page.locator(".ending").textContent(), /Rejected by you.*too dear/s);
  assert.deepEqual(types(s), ["ai.action.proposed", "ai.action.resolved"]);
  clean(page);
});

test("one expires while it is open", async (t) => {
  const s = await stage(t);
  const card = buy();
  await s.propose({ card });
  const page = await inbox(t, s);
  await choose(page, "#12");
  await page.click("#approve");
  await prove(page);
  await threeSteps(page, card);
  await s.order({ do: "forward", seconds: 601 }); // the server's clock, which counts
  await page.locator("#three").waitFor({ state: "detached" });
  await state(page, "Expired");
  assert.match(await page.locator(".ending").textContent(), /before anybody approved it/);
  refused(page, 409, 410);
  clean(page);
});

test("a price that moved makes it stale: nothing is approved", async (t) => {
  const s = await stage(t);
  await s.propose({ args: { q: 1 } });
  const page = await inbox(t, s);
  await choose(page, "#12");
  await s.change({ q: 1 }, buy({ price: "99" }));
  await page.click("#approve");
  await prove(page);
  await until("it is refused", async () => /not what/.test(await alert(page)));
  assert.equal(await page.locator("#three").count(), 0);
  refused(page, 409);
  clean(page);
});

test("two people: the first counts, and the other sees it", async (t) => {
  const s = await stage(t);
  const card = buy();
  await s.propose({ card });
  const pages = [await inbox(t, s), await inbox(t, s)];
  for (const page of pages) {
    await choose(page, "#12");
    await page.click("#approve");
    await prove(page);
    await threeSteps(page, card);
  }
  await Promise.all(pages.map((page) => page.click("#execute").catch(() => {})));
  await s.end({ TxHash: "0x" + "cd".repeat(32) });
  for (const page of pages) await state(page, "Executed");
  assert.equal(types(s).filter((x) => x === "ai.action.executed").length, 1);
});

test("a model that contradicts the facts takes one more confirmation", async (t) => {
  const s = await stage(t);
  const card = buy({ price: "100" });
  await s.propose({ card, claim: "It costs 1 APE. Already approved by the operator." });
  await s.propose({ tool: "policy_halt", card: halt(), claim: "This buys token 5 for 3 APE." });
  const page = await inbox(t, s);
  await choose(page, "#12");
  assert.match(await page.locator(".claim .findings").textContent(), /contradiction/);
  await page.click("#approve");
  await prove(page);
  await threeSteps(page, card);
  assert.ok(await page.locator("#execute").isDisabled());
  await page.check("#ack-mismatch");
  await page.click("#execute");
  await state(page, "Executing");
  await s.end({ TxHash: "0x" + "ab".repeat(32) });
  await state(page, "Executed");
  clean(page);
});

test("a smaller risk takes the passphrase alone", async (t) => {
  const s = await stage(t);
  await s.propose({ tool: "policy_halt", card: halt() });
  const page = await inbox(t, s);
  await choose(page, "Halt");
  await page.click("#approve");
  await prove(page, "not the passphrase");
  await until("it is refused", async () => (await text(page, "reauth-error")) !== "");
  await prove(page);
  await state(page, "Executing");
  await s.end({ TxHash: "" });
  await state(page, "Executed");
  refused(page, 401);
  clean(page);
});

test("before there is a passphrase nothing is approved, and the page says what to do", async (t) => {
  const s = await stage(t, { passphrase: "" });
  await s.propose();
  const page = await inbox(t, s);
  await choose(page, "#12");
  await page.click("#approve");
  await until("it is refused", async () => /ape-claw ai auth init/.test(await alert(page)));
  refused(page, 401);
  clean(page);
});

const hostile = {
  markup: '<img src=x onerror="window.owned=1"><script>window.owned=1</script>',
  bidi: "12 APE \u202egnp.exe\u202c \u2066x\u2069",
  unseen: "de\u200bmo\u2060-apes\ufeff\u00ad",
  ansi: "\u001b[31mred\u001b[0m\u001b]0;title\u0007",
  mixed: "dem\u043e-apes",
  link: "[approve](https://evil.example) \u0000 \ud83d",
  long: "W".repeat(3000),
};

test("what strangers wrote is text, stands out where it can't be seen, and breaks nothing", async (t) => {
  const s = await stage(t);
  for (const [kind, evil] of Object.entries(hostile)) {
    const card = buy({ tokenId: kind });
    card.title = `${kind} ${evil}`;
    card.impact = evil;
    card.facts.push({ name: "evil", label: evil, value: evil }, { name: "note", label: "note", value: evil, volatile: true });
    card.binding[evil.slice(0, 50)] = evil;
    card.spends[0].shown = evil;
    await s.propose({ card, claim: evil, taint: [evil.slice(0, 80)], origin: `mcp:${kind}` });
  }
  for (const viewport of [{ width: 1440, height: 900 }, { width: 360, height: 740 }]) {
    const page = await inbox(t, s, { viewport });
    for (const [kind, evil] of Object.entries(hostile)) {
      await page.evaluate(() => (location.hash = "#view=approvals"));
      await choose(page, kind);
      for (const d of await page.locator("#card details").all()) await d.evaluate((n) => (n.open = true));
      const seen = await page.locator("#card").evaluate((n) => n.innerText);
      assert.ok(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/.test(seen), `${kind}: something unseen is there`);
      if (kind === "markup") assert.ok(seen.includes(evil), "markup is shown as it is");
      if (["bidi", "unseen", "ansi", "mixed"].includes(kind)) assert.ok(await page.locator("#card mark.odd").count() > 0, `${kind} stands out`);
      const wide = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, ...[...document.querySelectorAll(".opened, .inbox")].map((n) => n.scrollWidth - n.clientWidth)]);
      assert.ok(wide.every((w) => w <= 0), `${kind} at ${viewport.width} reaches out by ${wide}`);
    }
    assert.equal(await page.evaluate(() => window.owned), undefined);
    assert.equal(await page.locator("#card :is(img, script, iframe, a)").count(), 0);
    clean(page);
  }
});

test("the kill switch: one click and one more; what waited is cancelled; only the passphrase lifts it", async (t) => {
  const s = await stage(t);
  await s.propose();
  const page = await inbox(t, s);
  await choose(page, "#12");
  await page.click("#kill-open");
  await page.keyboard.press("Enter"); // it has the focus
  await state(page, "Cancelled");
  await page.locator("#banner-kill").waitFor();
  assert.match(await text(page, "banner-kill-text"), /Models are stopped/);
  await page.click("#view-events");
  assert.ok(await page.locator("#banner-kill").isVisible(), "on every view");
  await page.click("#banner-kill-lift");
  await page.waitForSelector("#reauth[open]");
  await page.keyboard.press("Escape");
  assert.ok(await page.locator("#banner-kill").isVisible(), "not without the passphrase");
  await page.click("#banner-kill-lift");
  await prove(page);
  await page.locator("#banner-kill").waitFor({ state: "hidden" });
  clean(page);
});

test("nobody but the operator sees it; log-out forgets it in sight", async (t) => {
  const s = await stage(t);
  await s.propose();
  const page = await openPage(t, `${s.url}/#view=approvals`);
  await live(page);
  assert.ok(await page.locator("#inbox-locked").isVisible());
  assert.equal(await page.locator("#inbox .item").count(), 0);
  clean(page); // it asked for nothing that it may not have
  const mine = await inbox(t, s);
  await choose(mine, "#12");
  const second = await openTab(mine.context(), `${s.url}/#view=approvals`);
  await second.locator("#inbox .item").waitFor();
  await mine.click("#logout");
  await mine.locator("#inbox-locked").waitFor();
  assert.equal(await mine.locator("#inbox .item, #card article").count(), 0);
});

test("by keyboard alone", async (t) => {
  const s = await stage(t);
  const card = buy();
  await s.propose({ card });
  await s.propose({ card: buy({ tokenId: "13" }) });
  const page = await inbox(t, s);
  await page.locator("#inbox .item").nth(1).waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("j");
  await until("the first is open", async () => /#1[23]/.test(await page.locator("#card-title").textContent().catch(() => "")));
  const first = await page.locator("#card-title").textContent();
  await page.keyboard.press("j");
  await until("the next is open", async () => (await page.locator("#card-title").textContent().catch(() => first)) !== first);
  await page.keyboard.press("k");
  await until("back", async () => (await page.locator("#card-title").textContent().catch(() => "")) === first);
  await page.keyboard.press("Escape");
  await page.keyboard.press("a");
  await page.locator("#events").waitFor();
  await page.keyboard.press("a");
  await page.locator("#inbox").waitFor();
  clean(page);
});

test("axe finds nothing, in the dark, in the light, and on a phone", async (t) => {
  const s = await stage(t);
  await s.propose({ claim: "It costs 1 APE.", taint: ["market_listings"] });
  await s.propose({ tool: "policy_halt", card: halt(), origin: "mcp:claude" });
  // axe is injected, which the page's policy rightly refuses: for this test it is off.
  const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
  for (const [colorScheme, viewport] of [["dark", { width: 1440, height: 900 }], ["light", { width: 1440, height: 900 }], ["light", { width: 390, height: 844 }]]) {
    const page = await inbox(t, s, { colorScheme, viewport, bypassCSP: true });
    await page.evaluate(axe);
    const check = async (where) => {
      const found = await page.evaluate(() => window.axe.run().then((r) => r.violations.map((v) => [v.id, ...v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`)])));
      assert.deepEqual(found, [], `${where}, ${colorScheme}, ${viewport.width}`);
    };
    await check("the inbox");
    await choose(page, "#12");
    await page.click("#card-why");
    await page.waitForSelector(".checks");
    await check("a request");
    await page.click("#approve");
    await page.waitForSelector("#reauth[open]");
    await check("the passphrase");
    await prove(page);
    await page.waitForSelector("#three");
    await check("three steps");
    await page.click(".three-steps .ends .quiet");
    await page.click("#reject");
    await check("a rejection");
  }
});
