// What an event says is text, whatever it says.
import assert from "node:assert/strict";
import test from "node:test";
import { append, clean, event, frames, open, rows, sentences, shows, text, until } from "./harness.mjs";

/** Whether something of the page reaches out of where it belongs. */
const overflow = (page) => page.evaluate(() => {
  const out = [];
  if (document.documentElement.scrollWidth > innerWidth) out.push("the page is wider than the window");
  const list = document.getElementById("events").getBoundingClientRect();
  for (const row of document.querySelectorAll(".rows .row:not([hidden])")) {
    const box = row.getBoundingClientRect();
    if (Math.round(box.height) !== 34) out.push(`a row is ${box.height} px high`);
    let last = -1;
    for (const cell of row.children) {
      const c = cell.getBoundingClientRect();
      if (!c.width) continue;
      if (c.left < last - 1) out.push(`${cell.className || cell.tagName} lies over its neighbour`);
      if (c.right > list.right + 1) out.push(`${cell.className || cell.tagName} reaches out of the list`);
      last = c.right;
    }
  }
  const inspector = document.getElementById("inspector");
  if (inspector.scrollWidth > inspector.clientWidth) out.push("the details are wider than their place");
  return out;
});

const hostile = {
  markup: '<img src=x onerror="window.owned=1"><script>window.owned=1</script><style>*{display:none}</style>&lt;b&gt;',
  bidi: "abc\u202egpj.exe\u202c \u2066isolated\u2069 \u061c \u200f\u05d0\u05d1 \u0627\u0644",
  ansi: "\u001b[31mred\u001b[0m\u001b]0;title\u0007\u009b2J\rover\bwritten",
  unseen: "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg\u3164h\u{e0041}",
  nul: "a\u0000b\\u0000c%00d",
  surrogate: "lone \ud83d and \udd8d",
  lines: "one\ntwo\r\nthree\u2028four\u2029five\tsix",
  zalgo: "Z" + "\u0310\u0321\u0359".repeat(200) + "algo",
  wide: "W".repeat(5000),
  breaks: "\ufdfd".repeat(300) + "𒐫".repeat(300),
};

test("shown as text, without harm to the layout", async (t) => {
  const lines = Object.values(hostile).flatMap((evil) => {
    const fields = {
      agentId: evil, sessionId: evil, traceId: evil, command: evil, ok: false, error: evil, payload: { collection: evil, tokenId: evil, [evil]: evil, reason: evil, command: evil },
      result: { quoteId: evil, reason: evil, txHash: evil, owner: evil, priceWei: evil, decimals: 1e9, blockNumber: evil, currency: evil, priceApe: 1 },
    };
    return [event("policy.blocked", fields), event("nft.quote.created", fields), event(evil, fields), event("nft.buy.confirmed", { ...fields, chainId: evil, ok: true }), event("a.after", { ts: evil })];
  });
  const { page } = await open(t, lines);
  await until("all", async () => (await text(page, "count")) === `${lines.length} events`);
  for (const [kind, at] of Object.keys(hostile).reverse().flatMap((kind) => [0, 1, 2, 3, 4].map((i) => [kind, i]))) {
    await page.keyboard.press("j");
    await frames(page, 1);
    assert.deepEqual(await overflow(page), [], `${kind} ${at}`);
    // Nothing in the page is without a look of its own.
    const unseen = await page.evaluate(() => {
      const seen = document.querySelector("main").textContent + [...document.querySelectorAll("main [title]")].map((n) => n.title).join("");
      return [...new Set(seen.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u3164\p{Surrogate}]/gu) ?? [])].map((c) => c.codePointAt(0).toString(16));
    });
    assert.deepEqual(unseen, [], `${kind} ${at}`);
  }
  assert.equal(await page.evaluate(() => window.owned), undefined);
  assert.equal(await page.locator("main img, main script, main style").count(), 0);
  clean(page);
});

test("copying gives what the log has, escapes and all", async (t) => {
  const line = event("x.y", { payload: { text: hostile.bidi + hostile.ansi } });
  const { page } = await open(t, [line], { permissions: ["clipboard-read", "clipboard-write"] });
  await shows(page, 1);
  await page.keyboard.press("j");
  assert.match(await page.locator(".json").textContent(), /\\u202egpj\.exe\\u202c/);
  await page.keyboard.press("c");
  await until("the clipboard", async () => (await page.evaluate(() => navigator.clipboard.readText())) === line);
});

test("a payload of a megabyte is shown in part, and others with it", async (t) => {
  const line = event("big.one", { payload: { text: "x<b>".repeat(240_000) }, error: "e".repeat(50_000), ok: false });
  const { dir, page } = await open(t, [line, event("a.b")]);
  await shows(page, 2);
  await page.keyboard.press("Shift+G");
  await until("the cut", async () => (await page.locator(".json").textContent()).endsWith("… cut here; copy gives all of it"));
  assert.ok((await text(page, "inspector")).length < 200_000);
  assert.deepEqual(await overflow(page), []);
  await append(dir, event("a.c"));
  await shows(page, 3);
  clean(page);
});

test("JSON of thousands of levels is shown at once", async (t) => {
  const deep = (n, open, close) => open.repeat(n) + close.repeat(n);
  const { page } = await open(t, [["[", "]"], ['{"a":', "}"]].map(([a, b]) => event("a.deep", { payload: "here" }).replace('"here"', a === "[" ? deep(5000, a, b) : `${a.repeat(5000)}1${b.repeat(5000)}`)));
  await shows(page, 2);
  for (let i = 0; i < 2; i++) {
    await page.keyboard.press("j");
    await page.waitForSelector(".json");
    assert.ok((await page.locator(".json").textContent()).length < 1_000_000);
    assert.deepEqual(await overflow(page), []);
  }
  clean(page);
});

test("the clock of an event may say anything", async (t) => {
  const { page } = await open(t, [event("a.one", { ts: "0001-01-01T00:00:00.000Z" }), event("a.two", { ts: 5 }), event("a.three", { ts: "+275760-09-13T00:00:00.000Z" }), event("a.four", { ts: null }), event("a.five")]);
  await shows(page, 5);
  assert.equal((await sentences(page))[0], "A five");
  await rows(page).first().locator("time").hover();
  await until("the time in full", async () => /^[A-Z][a-z]{2},? \d/.test(await page.locator(".rows .row time[title]").first().getAttribute("title")));
  clean(page);
});
