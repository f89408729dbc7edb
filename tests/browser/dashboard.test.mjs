// The page in a real browser.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { append, clean, event, frames, live, open, openPage, purchase, rows, sentences, shows, startGate, startServer, stateDir, text, until } from "./harness.mjs";

test("loads under its policy without a complaint, and shows the backlog and live events", async (t) => {
  const { dir, page } = await open(t, purchase());
  await shows(page, 6);
  assert.deepEqual(await sentences(page), [
    "Bought Demo Apes #12 for 12.5 APE", "Sent the purchase of Demo Apes #12 for 12.5 APE", "Would buy Demo Apes #12 for 12.5 APE, nothing was sent",
    "Simulation passed for Demo Apes #12 at 12.5 APE", "Refused nft buy: the quote has no passed simulation", "Quoted Demo Apes #12 at 12.5 APE",
  ]);
  await append(dir, event("doctor.ran", { result: { checks: {}, warnings: ["a", "b"] } }));
  await shows(page, 7);
  assert.equal((await sentences(page))[0], "Checked the setup: ready, 2 warnings");
  assert.equal(await page.title(), "Live · ape-claw");
  assert.match(await page.locator("#profile").textContent(), /^(Sandbox|Real) chain \d+$/);
  assert.equal(await page.locator(".card.sandbox b").textContent(), "12.5 APE");
  const fonts = await page.evaluate(async () => (await document.fonts.ready, [...document.fonts].filter((f) => f.status === "loaded").length));
  assert.equal(fonts, 2);
  clean(page);
});

test("an empty log says what to do", async (t) => {
  const { page } = await open(t);
  await until("the hint", async () => /ape-claw demo/.test(await page.locator("#empty").textContent()));
  clean(page);
});

test("sandbox, dry run and real are told apart in words and colour", async (t) => {
  const { page } = await open(t, [
    event("nft.buy.confirmed", { chainId: 33139, dryRun: false }), event("nft.buy.dry_run", { chainId: 33139, dryRun: true }),
    event("nft.buy.confirmed", { dryRun: false }), event("nft.buy.dry_run", { dryRun: true }),
  ]);
  await shows(page, 4);
  const seen = await page.locator(".rows .row:not([hidden]) .badge").evaluateAll((all) => all.map((b) => [b.textContent, getComputedStyle(b).color]));
  assert.deepEqual(new Set(seen.map(([word]) => word)), new Set(["Real", "Dry run", "Sandbox", "Sandboxdry"]));
  assert.equal(new Set(seen.map(([, colour]) => colour)).size, 3);
});

test("stale when the server dies, live with everything when it is back", async (t) => {
  const { dir, server, page } = await open(t, [event("a.one")]);
  await shows(page, 1);
  await server.kill();
  await page.waitForSelector('#state[data-state="stale"]');
  assert.match(await page.title(), /^Stale/);
  assert.match(await page.locator("#banner").textContent(), /Not live/);
  await append(dir, event("a.two"), event("a.three")); // while nobody serves
  const again = await startServer(t, dir, server.addr);
  await live(page);
  await shows(page, 3);
  await append(dir, event("a.four"));
  await shows(page, 4);
  assert.deepEqual(await sentences(page), ["A four", "A three", "A two", "A one"]);
  assert.equal(await page.locator("#banner").isVisible(), false);
  assert.equal(again.addr, server.addr);
});

test("a replaced log is told by a line, and shown from its start", async (t) => {
  const { dir, page } = await open(t, [event("a.old"), event("a.older")]);
  await shows(page, 2);
  const { rename, writeFile } = await import("node:fs/promises");
  await writeFile(`${dir}/new`, event("b.new") + "\n");
  await rename(`${dir}/new`, `${dir}/events.jsonl`);
  await until("the new log", async () => (await sentences(page)).join("|") === "B new|The log was replaced here: what is older is of the log before|A older|A old");
  await until("the count", async () => (await text(page, "count")) === "3 events"); // the line is none
});

test("filters by type, agent, trace, kind and text, kept in the address", async (t) => {
  const { page } = await open(t, [...purchase({ trace: "trace_one" }), ...purchase({ trace: "trace_two", agentId: "nightowl", tokenId: "77", chainId: 33139 }), event("doctor.ran")]);
  await shows(page, 13);
  await page.selectOption("#f-type", "nft.*");
  await shows(page, 10);
  await page.selectOption("#f-agent", "nightowl");
  await shows(page, 5);
  assert.match(page.url(), /type=nft\.\*&agent=nightowl/);
  await page.locator("#clear").click();
  await shows(page, 13);
  await page.fill("#f-trace", "trace_one");
  await shows(page, 6);
  await page.fill("#f-trace", "");
  await page.locator(".card.real").click();
  await until("real ones only", async () => (await page.locator(".rows .row:not([hidden]) .badge.real").count()) === (await rows(page).count()));
  assert.equal(await page.locator(".card.real").getAttribute("aria-pressed"), "true");
  await page.locator(".card.refused").click();
  await shows(page, 1);
  await page.locator("#clear").click();
  await page.fill("#f-text", "#77 for");
  await shows(page, 3);
  await page.reload();
  await live(page);
  await shows(page, 3);
  await page.fill("#f-text", "nothing has this");
  await until("the hint", async () => /No event passes/.test(await page.locator("#empty").textContent()));
  clean(page);
});

test("two words are typed with a space between them, however slowly", async (t) => {
  const { page } = await open(t, [event("a.one", { ok: false, error: "went wrong" }), event("a.two")]);
  await page.locator("#f-text").pressSequentially("went ");
  await until("the filter", async () => (await text(page, "count")) === "1 of 2 events");
  await page.locator("#f-text").pressSequentially("wrong");
  assert.equal(await page.inputValue("#f-text"), "went wrong");
  await until("the filter", async () => page.url().endsWith("#text=went+wrong"));
  await shows(page, 1);
});

test("no choice of a type or an agent leads to nothing", async (t) => {
  const { page } = await open(t, [event("plain"), event("nft.buy.dry_run"), event("", { agentId: "" })]);
  await shows(page, 3);
  const values = (id) => page.locator(`#${id} option`).evaluateAll((all) => all.map((o) => o.value));
  await until("the choices", async () => (await values("f-type")).length > 1);
  assert.deepEqual(await values("f-type"), ["", "nft.*", "nft.buy.dry_run", "plain"]);
  assert.deepEqual(await values("f-agent"), ["", "scout"]);
});

test("the day of an event that is not of today fits its place", async (t) => {
  const day = 86_400_000, now = Date.now();
  const at = [now, now - 3 * day, now - 40 * day, now - 2000 * day];
  const { page } = await open(t, at.map((ms) => event("a.b", { ts: new Date(ms).toISOString() })));
  for (const size of [{ width: 1440, height: 900 }, { width: 800, height: 900 }, { width: 390, height: 844 }]) {
    await page.setViewportSize(size);
    await frames(page);
    const times = await page.locator(".rows .row:not([hidden]) time").evaluateAll((all) => all.map((n) => [n.textContent, n.scrollWidth <= n.clientWidth]));
    assert.deepEqual(times.map(([, fits]) => fits), [true, true, true, true], JSON.stringify([size, times]));
    assert.equal(times.filter(([s]) => /^\d+ [A-Z][a-z]{2} \d{4}$/.test(s)).length, 1);
  }
});

test("nothing is wider than a narrow window", async (t) => {
  const { page } = await open(t, [event("a.b")], { viewport: { width: 320, height: 600 } });
  await shows(page, 1);
  await page.keyboard.press("p");
  // With all that the bar can hold, nothing lies over its neighbour.
  const over = () => page.evaluate(() => {
    for (const id of ["update", "who"]) document.getElementById(id).hidden = false;
    const boxes = [...document.querySelectorAll(".top > *")].filter((n) => n.checkVisibility()).map((n) => n.getBoundingClientRect());
    return [document.documentElement.scrollWidth, ...boxes.slice(1).filter((b, i) => b.left < boxes[i].right - 1).map((b) => b.left)];
  });
  assert.deepEqual(await over(), [320]);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.deepEqual(await over(), [390]);
  assert.ok(await page.locator("#logout").evaluate((n) => n.getBoundingClientRect().right <= document.getElementById("state").getBoundingClientRect().left));
});

test("pause holds the list and counts; resume shows what came", async (t) => {
  const { dir, page } = await open(t, [event("a.one")]);
  await shows(page, 1);
  await page.keyboard.press("p");
  await append(dir, event("a.two"), event("a.three"));
  await until("the count", async () => /2 new/.test(await text(page, "pause")));
  assert.equal(await rows(page).count(), 1);
  assert.equal(await page.title(), "Paused (2) · ape-claw");
  await page.locator("#pause").click();
  await shows(page, 3);
  assert.equal(await page.title(), "Live · ape-claw");
  assert.equal(await text(page, "pause-word"), "Pause");
});

test("scrolling away stops following, and says what came meanwhile", async (t) => {
  const { dir, page } = await open(t, Array.from({ length: 200 }, (_, i) => event("a.b", { result: { i } })));
  await until("rows", async () => (await text(page, "count")) === "200 events");
  assert.equal(await page.locator("#newer").isVisible(), false);
  await page.locator("#events").evaluate((n) => (n.scrollTop = 3400));
  await until("the way back", async () => /Back to the newest/.test(await text(page, "newer")));
  const inSight = () => page.evaluate(() => document.elementFromPoint(300, document.getElementById("events").getBoundingClientRect().top + 60)?.closest(".row")?.id);
  await frames(page);
  const before = await inSight();
  assert.ok(before);
  await append(dir, event("a.late"), event("a.later"));
  await until("the note", async () => /2 newer/.test(await text(page, "newer")));
  await frames(page);
  assert.equal(await inSight(), before);
  await page.locator("#newer").click();
  await until("the newest", async () => (await sentences(page))[0] === "A later");
  assert.equal(await page.locator("#newer").isVisible(), false);
  // And by key, which ends a pause too.
  await page.locator("#events").evaluate((n) => (n.scrollTop = 3400));
  await page.keyboard.press("p");
  await append(dir, event("a.last"));
  await until("the count", async () => /1 new/.test(await text(page, "pause")));
  await page.keyboard.press("f");
  await until("the newest", async () => (await sentences(page))[0] === "A last");
});

test("rate, lag and place in the log", async (t) => {
  const { dir, page } = await open(t, [event("a.old", { ts: new Date(Date.now() - 3_600_000).toISOString() })]);
  await shows(page, 1);
  assert.equal(await text(page, "rate-now"), "0");
  await page.setViewportSize({ width: 1430, height: 900 }); // which draws the meters anew
  await frames(page);
  assert.equal(await text(page, "lag-now"), "–"); // the backlog is no lag
  assert.match(await page.locator("#lag").getAttribute("title"), /^no event came in the last 30 s/);
  const some = async (n, fields) => append(dir, ...Array.from({ length: n }, (_, i) => event(i % 2 ? "a.b" : "nft.quote.created", fields)));
  // Rates are of the last seconds: more comes until they are seen, however slow the machine.
  const fed = (what, check, fields) => until(what, async () => (await some(4, fields), check()));
  await fed("a rate", async () => Number(await text(page, "rate-now")) > 0);
  assert.match(await text(page, "rate-more"), /^[\d.]+ (B|KiB)\/s$/);
  await fed("a lag", async () => /^[\d.]+ m?s$/.test(await text(page, "lag-now")));
  await page.selectOption("#f-type", "nft.*");
  await fed("the filtered rate", async () => /^[\d.]+ pass the filters$/.test(await text(page, "rate-more")));
  // An agent whose clock is ahead.
  const ahead = { ts: new Date(Date.now() + 3_600_000).toISOString() };
  await some(300, ahead);
  await fed("the word", async () => (await text(page, "lag-now")) === "clock differs", ahead);
  assert.match(await text(page, "lag-more"), /^by (1 h 0|59) min/);
  clean(page);
});

test("a trace is a timeline, with times, amounts and hashes; the details are exact", async (t) => {
  const { dir, page } = await open(t, [event("x.y"), ...purchase()]);
  await shows(page, 7);
  await page.locator(".rows .row", { hasText: "Bought Demo Apes" }).click();
  const steps = page.locator(".steps li");
  assert.equal(await steps.count(), 6);
  assert.match(await steps.nth(1).textContent(), /\+400 ms/);
  assert.match(await steps.nth(5).textContent(), /Bought Demo Apes #12 for 12\.5 APE\+1\.25 snft\.buy\.confirmed.*tx0xabab…abef.*block18,234.*owner0x264f…3d4d/);
  assert.match(await page.locator(".timeline h3").textContent(), /6 steps in 3\.85 s/);
  assert.equal(await page.locator(".step[aria-current=step] .kind").textContent(), "nft.buy.confirmed");
  await steps.nth(0).locator("button").click();
  assert.equal(await page.locator(".rows .row[aria-selected=true] .type").textContent(), "nft.quote.created");
  assert.match(await page.locator(".json").textContent(), /"priceWei": "12500000000000000000"/);
  // It grows while it is looked at.
  await append(dir, event("v2.receipt.recorded", { traceId: "trace_purchase" }));
  await until("the seventh step", async () => (await steps.count()) === 7);
  // Only this trace.
  await page.keyboard.press("t");
  await shows(page, 7);
  await page.keyboard.press("t");
  await shows(page, 8);
  clean(page);
});

test("one key leads to all of a trace, also what is older than the page, and back", async (t) => {
  const early = purchase({ trace: "trace_long" });
  const { page } = await open(t, [...early.slice(0, 5), ...Array.from({ length: 1200 }, () => event("a.b")), early[5], event("a.c")]);
  await until("rows", async () => (await text(page, "count")) === "1,000 events");
  await page.locator("#events").evaluate((n) => (n.scrollTop = 3400));
  await frames(page);
  const top = () => page.locator("#events").evaluate((n) => n.scrollTop);
  await page.locator("#events").evaluate((n) => (n.scrollTop = 0));
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await until("all six steps", async () => (await page.locator(".steps li").count()) === 6);
  await page.locator("#events").evaluate((n) => (n.scrollTop = 20));
  await frames(page);
  await page.keyboard.press("t");
  await shows(page, 6);
  assert.equal(new URL(page.url()).hash, "#trace=trace_long");
  assert.equal((await sentences(page)).at(-1), "Quoted Demo Apes #12 at 12.5 APE");
  await page.goBack();
  await until("the list again", async () => (await text(page, "count")) === "1,000 events");
  await frames(page);
  assert.equal(await top(), 20);
  await page.goForward();
  await shows(page, 6);
  await page.keyboard.press("t"); // the same key goes back
  await until("the list again", async () => new URL(page.url()).hash === "");
  // The link alone leads there, though the page holds none of its first steps.
  await page.goto(`${new URL(page.url()).origin}/#trace=trace_long`);
  await page.reload();
  await shows(page, 6);
  clean(page);
});

test("steps that were fetched before they came by the stream are shown once", async (t) => {
  const dir = await stateDir(t);
  await append(dir, event("a.other"), ...purchase({ trace: "trace_early" }));
  const server = await startServer(t, dir);
  const gate = await startGate(t, server.url);
  gate.answer = ({ url }) => (url.startsWith("/events?") ? { status: 503, headers: { "Retry-After": "1" } } : null); // the stream comes late
  const page = await openPage(t, `${gate.url}/#trace=trace_early`);
  await shows(page, 6);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  gate.answer = () => null;
  await live(page);
  await until("all of it", async () => (await text(page, "count")) === "6 of 7 events");
  assert.equal(await rows(page).count(), 6);
  // What was chosen still is.
  assert.equal(await page.locator('.row[aria-selected="true"] .what').textContent(), "Sent the purchase of Demo Apes #12 for 12.5 APE");
  await until("its steps", async () => (await page.locator(".steps li").count()) === 6);
  assert.equal(await page.locator('.step[aria-current="step"]').count(), 1);
});

test("a trace of thousands of steps draws few, and is bounded", async (t) => {
  const { page } = await open(t, Array.from({ length: 900 }, (_, i) => event("a.b", { traceId: "trace_big", result: { i } })));
  await until("rows", async () => (await text(page, "count")) === "900 events");
  await page.keyboard.press("j");
  await until("steps", async () => (await page.locator(".steps li").count()) > 10);
  assert.ok((await page.locator(".steps li").count()) < 110);
  assert.match(await text(page, "inspector"), /900 steps/);
  assert.match(await page.locator(".steps .gap").first().textContent(), /\d+ steps between; T lists all/);
});

test("keyboard", async (t) => {
  const { page } = await open(t, [event("a.one"), event("a.two"), event("a.three")]);
  await shows(page, 3);
  const selected = () => page.locator(".rows .row[aria-selected=true] .what").textContent();
  await page.keyboard.press("j");
  assert.equal(await selected(), "A three");
  await page.keyboard.press("j");
  assert.equal(await selected(), "A two");
  await page.keyboard.press("k");
  assert.equal(await selected(), "A three");
  await page.keyboard.press("Shift+G");
  assert.equal(await selected(), "A one");
  await page.keyboard.press("g");
  assert.equal(await selected(), "A three");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "inspector");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "events");
  await page.keyboard.press("ArrowDown");
  assert.equal(await selected(), "A two");
  assert.equal(await page.locator("#events").getAttribute("aria-activedescendant"), await page.locator(".rows .row[aria-selected=true]").getAttribute("id"));
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".rows .row[aria-selected=true]").count(), 0);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "f-text");
  await page.keyboard.type("pjk?"); // letters are text here
  assert.equal(await page.inputValue("#f-text"), "pjk?");
  await page.keyboard.press("Escape");
  await page.keyboard.press("x");
  await shows(page, 3);
  await page.keyboard.press("?");
  assert.equal(await page.locator("#help").evaluate((d) => d.open), true);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#help").evaluate((d) => d.open), false);
  await page.keyboard.press("Tab"); // the skip link comes first from the top of the page
  clean(page);
});

test("copying gives the line as it is in the log", async (t) => {
  const line = '{"v":1, "ts":"2026-11-30T12:00:00.000Z","eventType":"x.y","n":10.123456789012345678,"chainId":1,"ok":true}';
  const { page } = await open(t, [line], { permissions: ["clipboard-read", "clipboard-write"] });
  await shows(page, 1);
  await page.keyboard.press("j");
  assert.match(await page.locator(".json").textContent(), /10\.123456789012345678/);
  await page.keyboard.press("c");
  await until("the clipboard", async () => (await page.evaluate(() => navigator.clipboard.readText())) === line);
});

test("what an event says is never markup", async (t) => {
  const evil = '<img src=x onerror="window.owned=1"><script>window.owned=1</script>';
  const fields = { agentId: evil, traceId: evil, command: evil, payload: { collection: evil, tokenId: evil }, result: { quoteId: evil, reason: evil, txHash: evil, owner: evil }, error: evil, ok: false };
  const { page } = await open(t, [event("policy.blocked", fields), event("nft.quote.created", fields), event(evil, fields)]);
  await shows(page, 3);
  for (let i = 0; i < 3; i++) await page.keyboard.press("j");
  await page.selectOption("#f-agent", evil);
  await until("text", async () => (await page.locator(".rows").textContent()).includes("<img"));
  assert.equal(await page.evaluate(() => window.owned), undefined);
  assert.equal(await page.locator("main img, main script").count(), 0);
  clean(page);
});

for (const colorScheme of ["dark", "light"]) {
  test(`axe finds nothing to complain about: ${colorScheme}`, async (t) => {
    // axe is injected, which the page's policy rightly refuses: for this test it is off.
    const { page } = await open(t, [...purchase(), ...purchase({ trace: "trace_real", chainId: 33139 }), event("x.y", { chainId: 33139 }), event("x.z", { ok: false, error: "boom" })], { colorScheme, bypassCSP: true });
    await shows(page, 14);
    await page.evaluate(await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8"));
    const audit = async (what) => {
      const found = await page.evaluate(() => axe.run().then((r) => r.violations.map((v) => [v.id, ...v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`)])));
      assert.deepEqual(found, [], what);
    };
    await audit("nothing selected");
    for (const what of ["a plain event", "a failed one", "a purchase on a real chain", "its submission"]) {
      await page.keyboard.press("j");
      await page.waitForSelector(".json");
      await audit(what);
    }
    await page.keyboard.press("Shift+G");
    await audit("the sandbox");
    await page.keyboard.press("p");
    await page.locator(".card.real").click();
    await audit("paused and filtered");
    await page.keyboard.press("?");
    await audit("help");
    await page.keyboard.press("Escape");
    await page.locator("#clear").click();
    await page.keyboard.press("e");
    await audit("export");
    await page.keyboard.press("Escape");
    await page.evaluate(() => document.getElementById("login").showModal());
    await audit("log in");
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press("Escape");
    await audit("narrow");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  });
}
