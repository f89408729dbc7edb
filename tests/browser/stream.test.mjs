// One stream a browser: tabs share a worker, which outlives its server and any
// of its tabs; and what the page says when the stream is refused.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import test from "node:test";
import { append, changed, clean, event, frames, live, open, openContext, openPage, openTab, rows, sentences, shows, startGate, startServer, stateDir, text, until } from "./harness.mjs";

const health = async (url) => (await fetch(`${url}/api/health`)).json();
const shared = (page) => page.evaluate(() => document.body.dataset.stream);

test("nine tabs share one stream; a restart and the end of a tab cost them nothing", async (t) => {
  const dir = await stateDir(t);
  await append(dir, event("a.one"));
  let server = await startServer(t, dir);
  const context = await openContext(t);
  const tabs = [];
  // More than HTTP/1.1's six connections: with a stream each, the seventh would not load.
  for (let i = 0; i < 9; i++) tabs.push(await openTab(context, server.url));
  for (const page of tabs) {
    await live(page);
    assert.equal(await shared(page), "shared");
    await shows(page, 1);
  }
  assert.equal((await health(server.url)).counts.clients, 1);
  await append(dir, event("a.two"));
  for (const page of tabs) await until("the event", async () => (await sentences(page)).join() === "A two,A one");

  // One closes, one crashes: the others go on.
  await tabs.shift().close();
  const crashed = tabs.shift();
  crashed.goto("chrome://crash").catch(() => {}); // which never answers
  await new Promise((resolve) => crashed.once("crash", resolve));
  await until("the crashed one to be missed", async () => (await tabs[0].locator("#state").getAttribute("title")) === "one stream for 7 pages of this browser");
  await append(dir, event("a.three"));
  for (const page of tabs) await until("the event", async () => (await sentences(page))[0] === "A three");

  await server.kill();
  for (const page of tabs) await page.waitForSelector('#state[data-state="stale"]');
  await append(dir, event("a.four"), event("a.five")); // while nobody serves
  server = await startServer(t, dir, server.addr);
  for (const page of tabs) await live(page);
  await append(dir, event("a.six"));
  for (const page of tabs) await until("all events, once", async () => (await sentences(page)).join() === "A six,A five,A four,A three,A two,A one");
  assert.equal((await health(server.url)).counts.clients, 1);

  // A new tab has at once what the worker holds.
  const late = await openTab(context, server.url);
  await live(late);
  await shows(late, 6);
  assert.equal((await health(server.url)).counts.clients, 1);
  // The last one out closes the stream.
  for (const page of [...tabs, late]) await page.close();
  await until("no stream", async () => (await health(server.url)).counts.clients === 0);
});

test("without a shared worker the page has a stream of its own", async (t) => {
  const dir = await stateDir(t);
  const server = await startServer(t, dir);
  const context = await openContext(t);
  await context.addInitScript(() => delete window.SharedWorker);
  const page = await openTab(context, server.url);
  await live(page);
  assert.equal(await shared(page), "own");
  await append(dir, event("a.one"));
  await shows(page, 1);
  clean(page);
});

test("a worker that does not load is done without", async (t) => {
  const server = await startServer(t, await stateDir(t));
  const gate = await startGate(t, server.url);
  gate.answer = ({ url }) => (url === "/assets/worker.js" ? { status: 404 } : null);
  const page = await openPage(t, gate.url);
  await live(page);
  await until("a stream of its own", async () => (await shared(page)) === "own");
});

test("without locks a tab is known to be gone by its silence", async (t) => {
  const server = await startServer(t, await stateDir(t));
  const gate = await startGate(t, server.url);
  const worker = await changed(server, "/assets/worker.js", ["PING = 15_000", "PING = 200"]);
  const feed = await changed(server, "/assets/feed.js", ["HEALTH_EVERY = 10_000", "HEALTH_EVERY = 300"]);
  gate.answer = ({ url }) => ({ "/assets/worker.js": worker, "/assets/feed.js": feed })[url];
  const context = await openContext(t);
  await context.addInitScript(() => Object.defineProperty(navigator, "locks", { value: undefined }));
  const [page, crashed] = [await openTab(context, gate.url), await openTab(context, gate.url)];
  for (const tab of [page, crashed]) await live(tab);
  const title = (n) => until(`${n} tabs`, async () => (await page.locator("#state").getAttribute("title"))?.startsWith(`one stream for ${n} page`));
  await title(2);
  crashed.goto("chrome://crash").catch(() => {}); // which never answers
  await title(1);
  assert.equal(gate.streams, 1);
  clean(page);
});

test("a stream that sends nothing, not even heartbeats, is opened anew where it was", async (t) => {
  const server = await startServer(t, await stateDir(t));
  const gate = await startGate(t, server.url);
  const feed = await changed(server, "/assets/feed.js", ["HEALTH_EVERY = 10_000", "HEALTH_EVERY = 300"], ["SILENCE = 50_000", "SILENCE = 1000"]);
  const asked = [];
  gate.answer = ({ url }) => {
    if (url === "/assets/feed.js") return feed;
    if (!url.startsWith("/events?")) return null;
    asked.push(url);
    return { status: 200, open: true, headers: { "Content-Type": "text/event-stream" }, body: `id: aa-7\ndata: ${event("a.one")}\n\nevent: cursor\nid: aa-9\ndata: {}\n\n` };
  };
  const page = await openPage(t, gate.url);
  await shows(page, 1);
  await until("a second stream", () => asked.length > 1);
  assert.equal(asked[1], "/events?type=*&after=aa-9");
  await frames(page);
  assert.equal(await rows(page).count(), 1); // the same id again is no second event
});

test("a log that was replaced while nobody served is shown as far as a new page would", async (t) => {
  const { dir, server, page } = await open(t, [event("a.old")]);
  await shows(page, 1);
  await server.kill();
  await page.waitForSelector('#state[data-state="stale"]');
  for (const name of await readdir(dir)) if (name.startsWith("events")) await rm(`${dir}/${name}`);
  await append(dir, event("b.one"), event("b.two"));
  await startServer(t, dir, server.addr);
  await until("the new log below a line", async () => (await sentences(page)).join("|") === "B two|B one|The log was replaced here: what is older is of the log before|A old");
  await append(dir, event("b.three"));
  await until("what comes", async () => (await sentences(page))[0] === "B three");
});

test("a hidden page reads on, and shows all of it when it is seen", async (t) => {
  const { dir, page } = await open(t, [event("a.one")]);
  await shows(page, 1);
  const hide = (hidden) => page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
  await hide(true);
  await append(dir, event("a.two"), event("a.three"));
  await page.evaluate(() => (window.drawn = 0, new MutationObserver(() => window.drawn++).observe(document.getElementById("rows"), { subtree: true, childList: true, attributes: true })));
  await append(dir, event("a.four"));
  await frames(page, 30);
  assert.equal(await page.evaluate(() => window.drawn), 0);
  await hide(false);
  await shows(page, 4);
});

test("a script address that is not the worker's is refused", async (t) => {
  const { page } = await open(t);
  const refused = await page.evaluate(() => {
    const tries = [() => trustedTypes.createPolicy("other", {}), () => trustedTypes.createPolicy("ape-claw", {}), () => new SharedWorker("/assets/worker.js"), () => new Worker("data:text/javascript,1")];
    return tries.map((f) => {
      try {
        return (f(), "");
      } catch (e) {
        return e.name;
      }
    });
  });
  assert.deepEqual(refused, ["TypeError", "TypeError", "TypeError", "TypeError"]);
});

test("a newer page behind the same address is offered, and has a worker of its own", async (t) => {
  const dir = await stateDir(t);
  const server = await startServer(t, dir);
  const gate = await startGate(t, server.url);
  const context = await openContext(t);
  const page = await openTab(context, gate.url);
  await live(page);
  await until("one stream", () => gate.streams === 1);
  const html = (await (await fetch(server.url)).text()).replace(/data-build="[^"]*"/, 'data-build="next"');
  gate.answer = ({ url }) => (url === "/" ? { status: 200, headers: { "Content-Type": "text/html", ETag: '"next"' }, body: html } : null);
  gate.cut();
  await until("the offer", () => page.locator("#update").isVisible());
  const next = await openTab(context, gate.url);
  await live(next);
  assert.equal(gate.streams, 2); // they do not mix
  await page.locator("#update").click();
  await live(page);
  await until("one stream for both", () => gate.streams === 1);
});

test("log in, read on where it was, log out", async (t) => {
  const dir = await stateDir(t);
  await append(dir, event("a.one"));
  const server = await startServer(t, dir);
  const gate = await startGate(t, server.url);
  let lost = true, bodies = [];
  gate.answer = ({ method, url, headers, body }) => {
    const known = !lost && /ape_claw_session=secret/.test(headers.cookie ?? "");
    if (url === "/api/session") {
      if (method === "DELETE") return { status: 200, headers: { "Set-Cookie": "ape_claw_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict" }, body: { ok: true } };
      if (method === "GET") return { status: 200, body: { ok: true, required: true, agentId: known ? "mara" : null } };
      bodies.push(JSON.parse(body));
      if (bodies.at(-1).token !== "claw_good") return { status: 401, body: { error: "agent id and token do not fit", code: "auth", hint: "ape-claw clawbot rotate gives a new token" } };
      lost = false;
      return { status: 200, headers: { "Set-Cookie": "ape_claw_session=secret; Path=/; HttpOnly; SameSite=Strict" }, body: { ok: true, agentId: "mara", expiresAt: "2030-01-01T00:00:00.000Z" } };
    }
    return /^\/(events|api)/.test(url) && !known ? { status: 401, body: { error: "log in first", code: "auth" } } : null;
  };
  const context = await openContext(t);
  const page = await openTab(context, gate.url), other = await openTab(context, gate.url);
  await page.waitForSelector("#login[open]");
  await other.waitForSelector("#login[open]");
  assert.equal(await page.locator("#login-token").getAttribute("type"), "password");
  const enter = async (token) => {
    await page.fill("#login-agent", "mara");
    await page.fill("#login-token", token);
    await page.keyboard.press("Enter");
  };
  await enter("claw_bad");
  await until("the refusal", async () => /^Agent id and token do not fit\. Ape-claw clawbot rotate gives a new token\.$/.test(await text(page, "login-error")));
  assert.equal(await page.inputValue("#login-token"), "");
  await enter("claw_good");
  for (const tab of [page, other]) {
    await live(tab);
    assert.equal(await tab.locator("#login[open]").count(), 0);
    await shows(tab, 1);
    await until("the name", async () => (await text(tab, "who-name")) === "mara");
  }
  assert.deepEqual(bodies, [{ agentId: "mara", token: "claw_bad" }, { agentId: "mara", token: "claw_good" }]);
  // The token is nowhere in the page.
  assert.equal(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.documentElement.outerHTML]).includes("claw_good")), false);

  // The session ends while the stream is open: the form comes, and nothing is lost.
  lost = true;
  gate.cut();
  await page.waitForSelector("#login[open]");
  assert.equal(await page.locator("#who").isVisible(), false);
  await append(dir, event("a.two"));
  await enter("claw_good");
  for (const tab of [page, other]) {
    await live(tab);
    await shows(tab, 2);
  }
  // Logged out, no tab shows what was read.
  await page.locator("#logout").click();
  for (const tab of [page, other]) {
    await tab.waitForSelector("#login[open]");
    await shows(tab, 0);
    assert.equal(await tab.locator("#who").isVisible(), false);
  }
  await page.keyboard.press("Escape");
  await page.locator("#banner-login").click();
  await page.waitForSelector("#login[open]");
});

test("a log-in that was put off is not asked for again", async (t) => {
  const server = await startServer(t, await stateDir(t));
  const gate = await startGate(t, server.url);
  const feed = await changed(server, "/assets/feed.js", ["LOGIN_TRY = 60_000", "LOGIN_TRY = 200"]);
  let asked = 0;
  gate.answer = ({ url }) => {
    if (url === "/assets/feed.js") return feed;
    if (url === "/api/session") return { status: 200, body: { ok: true, required: true, agentId: null } };
    if (url.startsWith("/events?")) asked++;
    return /^\/(events|api)/.test(url) ? { status: 401, body: { error: "log in first", code: "auth" } } : null;
  };
  const page = await openPage(t, gate.url);
  await page.waitForSelector("#login[open]");
  await page.locator("#login-cancel").click();
  const before = asked;
  await until("more tries", () => asked > before + 6);
  await frames(page);
  assert.equal(await page.locator("#login[open]").count(), 0);
  await page.locator("#banner-login").click();
  await page.waitForSelector("#login[open]");
});

test("log in at a server that asks", { skip: !process.env.APE_CLAW_BIN }, async (t) => {
  const dir = await stateDir(t);
  const env = { PATH: process.env.PATH, HOME: dir, APE_CLAW_HOME: `${dir}/home` };
  const { token } = JSON.parse(execFileSync(process.env.APE_CLAW_BIN, ["clawbot", "register", "--name", "mara", "--agent-id", "mara", "--state-dir", dir, "--json"], { env }));
  assert.match(token, /^claw_/);
  const server = await startServer(t, dir, "127.0.0.1:0", ["--require-auth"]);
  const context = await openContext(t);
  const page = await openTab(context, server.url);
  await page.waitForSelector("#login[open]");
  assert.equal(await rows(page).count(), 0);
  await page.fill("#login-agent", "mara");
  await page.fill("#login-token", "claw_wrong");
  await page.keyboard.press("Enter");
  await until("the refusal", async () => /^These agent credentials are not accepted\. /.test(await text(page, "login-error")));
  await page.fill("#login-token", token);
  await page.keyboard.press("Enter");
  await live(page);
  await until("the name", async () => (await text(page, "who-name")) === "mara");
  await append(dir, event("a.one"));
  await until("the event", async () => (await sentences(page))[0] === "A one");
  assert.equal(await page.evaluate(() => document.cookie), "");
  await page.locator("#logout").click();
  await page.waitForSelector("#login[open]");
  await shows(page, 0);
});

test("a refused stream is told in words, with what to do, and tried again", async (t) => {
  const dir = await stateDir(t);
  await append(dir, event("a.one"));
  const server = await startServer(t, dir);
  const gate = await startGate(t, server.url);
  let refusal = { status: 503, headers: { "Retry-After": "1" }, body: { error: "all 512 streams are taken", code: "upstream", hint: "close a page" } };
  gate.answer = ({ url }) => (url.startsWith("/events?") ? refusal : null);
  const page = await openPage(t, gate.url);
  const says = (what) => until(String(what), async () => what.test((await page.locator("#banner").innerText()).replace(/\s+/g, " ")));
  await says(/^All 512 streams are taken\. Close a page\. Trying again in \d+ s\.$/);
  assert.equal(await page.title(), "Refused · ape-claw");
  refusal = { status: 429, headers: { "Retry-After": "1" }, body: {} };
  await says(/^Too many requests from this address\. Wait a moment/);
  refusal = null;
  await live(page);
  await shows(page, 1);
  assert.equal(await page.locator("#banner").isVisible(), false);
  refusal = { status: 403, body: { error: 'host "evil" is not served here', code: "auth", hint: "open the address that ape-claw serve printed" } };
  gate.cut();
  await says(/^The server refuses this page: host "evil" is not served here\. Open the address that ape-claw serve printed\. Trying again/);
  await frames(page);
  assert.equal(await rows(page).count(), 1); // what was read stays
});
