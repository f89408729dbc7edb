// The machines that report, and this one's own reporting, as the page shows them.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { append, clean, event, live, openPage, startServer, stateDir, text, until } from "./harness.mjs";

const ago = (s) => new Date(Date.now() - s * 1000).toISOString();
const bots = (...list) => ({ count: list.length, clawbots: list, sharedKeyConfigured: false });
const bot = (agentId, more = {}) => ({ agentId, name: agentId, enabled: true, createdAt: ago(7200), ...more });
const out = (more = {}) => ({
  configured: true, url: "https://serve.example", remoteOnly: false, agentId: "mara", missing: "", pending: { events: 0, bytes: 0 }, others: { events: 0, bytes: 0 },
  lastSuccess: ago(150), lastError: "", lastStatus: 200, breaker: { open: false, until: "", failures: 0 }, sent: 1204, dead: 0, lost: { events: 0, bytes: 0 }, ...more,
});
const act = (more = {}) => ({ id: "act_1", run: "run_1", tick: 3, state: "done", dryRun: true, by: "main", about: "look at the floor", began: ago(70), ended: ago(60), text: "NOTE the floor is 10 APE", ...more });
const pod = (more = {}) => ({
  ok: true, status: "running", hasAgentsMd: true, hasTasks: true, stopped: false, stopReason: "", lastHeartbeat: ago(40), heartbeatAgeMs: 40_000, tick: 3, openTasks: 2, dryRun: true, stuck: false, ended: "", actions: [act()], ...more,
});
const letter = (more = {}) => ({ when: ago(60), agentId: "mara", eventId: "ob-1/4711", status: 400, code: "usage", reason: "ts is no time", eventType: "nft.quote.created", ...more });

/** A page of machines on a server that says what says() was given last; a number is a status. */
async function machinesPage(t, first, options) {
  const dir = await stateDir(t);
  const server = await startServer(t, dir, "127.0.0.1:0", [], { small: true });
  let said = { clawbots: bots(), forwarding: { configured: false }, "forwarding/dead": { letters: [] }, "pod/status": { ok: true, status: "not-initialized", actions: [] }, ...first };
  const asked = [];
  const page = await openPage(t, server.url, options);
  await page.route(/\/api\/(clawbots|forwarding|forwarding\/dead|pod\/status)$/, (route) => {
    const name = new URL(route.request().url()).pathname.slice(5);
    asked.push(name);
    const answer = said[name];
    return typeof answer === "number" ? route.fulfill({ status: answer, json: { error: "as the test says", code: "internal", hint: "" } }) : route.fulfill({ json: answer });
  });
  await live(page);
  const show = async () => {
    await page.keyboard.press("m");
    await until("an answer", async () => (await text(page, "machines-title")) !== "Asking the server");
  };
  const says = async (more) => {
    said = { ...said, ...more };
    const before = asked.length;
    await page.locator("#machines-again").click();
    await until("the page asks", () => asked.length > before);
  };
  return { dir, server, page, says, show, asked };
}

const lines = (page, part) => page.locator(`#machines-${part} li`).evaluateAll((all) => all.map((n) => n.innerText.replace(/\s+/g, " ").trim()));
const facts = (page) => page.locator("#machines-forwarding .card-facts > div").evaluateAll((all) => Object.fromEntries(all.map((d) => [d.children[0].textContent, d.children[1].innerText.replace(/\s+/g, " ").trim()])));
const title = (page, want) => until(want, async () => (await text(page, "machines-title")) === want);

test("agents: who is at work comes first, and leads to its events", async (t) => {
  const { page, dir, show, says, asked } = await machinesPage(t, { clawbots: bots(bot("ana"), bot("mara", { name: "Mara's machine" }), bot("zoe", { enabled: false, createdAt: ago(86_400 * 3) })) });
  await append(dir, event("nft.quote.created", { agentId: "mara", traceId: "trace_1" }), event("nft.quote.read", { agentId: "mara" }));
  await until("the events", async () => (await text(page, "count")) === "2 events");
  assert.deepEqual(asked, [], "nothing is asked for the list of events");
  await show();
  await title(page, "2 agents may report here");
  const rows = await lines(page, "agents");
  assert.match(rows[0], /^mara May report Mara's machine last event (just now|\d+ s ago): nft\.quote\.read · 2 on this page · registered 2 h ago$/);
  assert.match(rows[1], /^ana May report no event on this page · registered 2 h ago$/);
  assert.match(rows[2], /^zoe Revoked no event on this page · registered 3 days ago$/);
  assert.match(await text(page, "machines-forwarding"), /keeps its events to itself.*APE_CLAW_TELEMETRY_URL/);
  assert.ok(await page.locator("#machines-dead-part").isHidden());
  await says({ clawbots: bots() });
  await title(page, "No agent may report here yet");
  assert.match(await text(page, "machines-agents"), /ape-claw clawbot invite/);
  await says({ clawbots: bots(bot("mara")) });
  await title(page, "1 agent may report here");
  await page.locator("#machines-agents .trace-link").click();
  await page.locator("#events").waitFor();
  assert.equal(await page.inputValue("#f-agent"), "mara");
  clean(page);
});

test("a new agent is shown when it registers", async (t) => {
  const { page, dir, show, asked } = await machinesPage(t, {});
  await show();
  const before = asked.length;
  await append(dir, event("clawbot.registered", { agentId: "mara" }));
  await until("the page looks again", () => asked.length > before);
  clean(page);
});

test("forwarding: up to date, sending, paused, waiting for settings, refused", async (t) => {
  const { page, show, says } = await machinesPage(t, { forwarding: out() });
  await show();
  await title(page, "Forwarding: all events sent");
  assert.deepEqual(await facts(page), { state: "Up to date", to: "https://serve.example", as: "mara", "to send": "nothing", "last taken": "2 min ago", taken: "1,204 events" });
  await says({ forwarding: out({ pending: { events: 12, bytes: 6144 }, others: { events: 1, bytes: 500 }, remoteOnly: true }) });
  await title(page, "Forwarding: 12 events to send");
  const sending = await facts(page);
  assert.equal(sending.state, "Sending");
  assert.equal(sending["to send"], "12 events, 6.0 KiB");
  assert.match(sending["of others"], /^1 event, 500 B, under other agents' credentials$/);
  assert.match(sending.log, /until the receiver has it/);
  await says({ forwarding: out({ pending: { events: 500, bytes: 9, more: true }, lastSuccess: "", lastStatus: 503, lastError: "the server is restarting", breaker: { open: true, until: new Date(Date.now() + 45_000).toISOString(), failures: 4 } }) });
  await title(page, "The receiver does not take events: 500 events to send");
  const paused = await facts(page);
  assert.equal(paused.state, "Paused");
  assert.equal(paused["to send"], "more than 500 events, 9 B");
  assert.equal(paused["last taken"], "never");
  assert.equal(paused["last error"], "the server is restarting (503)");
  assert.match(paused["next try"], /^in 4\d s, after 4 failures in a row$/);
  await says({ forwarding: out({ missing: "no agent's id and token are set", pending: { events: 2, bytes: 900 }, lost: { events: 40, bytes: 9999 } }) });
  await title(page, "Nothing is forwarded: no agent's id and token are set");
  const waits = await facts(page);
  assert.equal(waits.state, "Waits for settings");
  assert.match(waits.lost, /^about 40 events, removed/);
  await says({ forwarding: out({ dead: 3 }), "forwarding/dead": { letters: [letter(), letter({ eventType: "", code: "", status: 0, when: "", reason: "" })] } });
  await title(page, "3 events refused by the receiver");
  await page.locator("#machines-dead-part").waitFor();
  const dead = await lines(page, "dead");
  assert.match(dead[0], /^nft\.quote\.created 400 usage ts is no time 1 min ago · ob-1\/4711 · as mara$/);
  assert.match(dead[1], /^an event that can't be read refused/);
  assert.match(await text(page, "machines-dead"), /ape-claw events flush --dead.*The newest 2 of 3\./s);
  await says({ forwarding: out() });
  await until("the letters are gone", () => page.locator("#machines-dead-part").isHidden());
  clean(page);
});

test("the workspace: its states, its actions, and its stop", async (t) => {
  const { page, show, says } = await machinesPage(t, {});
  await show();
  assert.ok(await page.locator("#machines-pod-part").isHidden(), "a machine without a workspace shows none");
  const told = [];
  let answer = { ok: true, action: "stop", already: false };
  await page.route(/\/api\/pod\/stop$/, (route) => {
    told.push(route.request().postDataJSON());
    return typeof answer === "number" ? route.fulfill({ status: answer, json: { error: "as the test says", code: "auth", hint: "" } }) : route.fulfill({ json: answer });
  });
  const state = (want) => until(want, async () => (await text(page, "machines-pod")).includes(want));
  await says({ "pod/status": pod({ actions: [act(), act({ state: "failed", error: "it ended with exit status 1", text: "", tick: 2 }), act({ state: "interrupted", about: "", tick: 1 }), act({ state: "active" })] }) });
  await page.locator("#machines-pod-part").waitFor();
  await state("Running, as a dry run");
  const acts = await lines(page, "pod");
  assert.match(acts[0], /^look at the floor Done NOTE the floor is 10 APE 1 min ago · tick 3 · by main$/);
  assert.match(acts[1], /^look at the floor Failed it ended with exit status 1/);
  assert.match(acts[2], /^no open task Cut off/);
  assert.match(acts[3], /^look at the floor At work/);
  const stop = page.locator("#machines-pod button");
  await stop.focus();
  await page.keyboard.press("Enter");
  await state("The flag is raised.");
  assert.deepEqual(told, [{ reason: "stopped on the dashboard" }]);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.key ?? document.activeElement.outerHTML.slice(0, 200)), "stop", "who pressed it is still there");
  await says({ "pod/status": pod({ stopped: true, stopReason: "stop.flag: mara: looks wrong" }) });
  await state("About to stop");
  assert.match(await text(page, "machines-pod"), /stop\.flag: mara: looks wrong.*goes on after ape-claw pod start/s);
  assert.ok(await stop.isDisabled());
  for (const [more, want] of [[{ status: "stopped", stopped: true }, "Stopped by its flag"], [{ status: "stopped" }, "Not running"], [{ status: "stale" }, "No sign of life"], [{ stuck: true }, "Stuck"], [{ dryRun: false, actions: [] }, "It has not done anything yet."]]) {
    await says({ "pod/status": pod(more) });
    await state(want);
  }
  answer = 401;
  await stop.click();
  await page.locator("#login-agent").waitFor();
  await state("Log in as an agent to stop it.");
  await page.keyboard.press("Escape");
  answer = 503;
  await stop.click();
  await state("as the test says");
  await says({ "pod/status": { ok: true, status: "not-initialized", actions: [] } });
  await until("it is gone", () => page.locator("#machines-pod-part").isHidden());
  refused(page, 401, 503);
  clean(page);
});

test("the workspace of the program itself is stopped by a press", { skip: !process.env.APE_CLAW_BIN }, async (t) => {
  const dir = await stateDir(t);
  const env = { PATH: process.env.PATH, HOME: dir, APE_CLAW_HOME: join(dir, "home"), APE_CLAW_STATE_DIR: dir, APE_CLAW_POD_DIR: join(dir, "pod") };
  const run = (...args) => JSON.parse(execFileSync(process.env.APE_CLAW_BIN, [...args, "--json"], { env, encoding: "utf8" }));
  run("pod", "init");
  const { token } = run("clawbot", "register", "--agent-id", "mara");
  const server = await startServer(t, dir, "127.0.0.1:0", [], { env });
  const page = await openPage(t, `${server.url}/#view=machines`);
  await live(page);
  await page.locator("#machines-pod-part").waitFor();
  await until("it rests", async () => (await text(page, "machines-pod")).includes("Not running"));
  const agent = spawn(process.env.APE_CLAW_BIN, ["pod", "run", "--every", "50ms", "--json", "--", "sh", "-c", "echo NOTE at work"], { env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  agent.stdout.on("data", (b) => (said += b));
  const over = new Promise((resolve) => agent.once("exit", resolve));
  t.after(() => agent.kill("SIGKILL"));
  await until("it runs", async () => /Running, as a dry run/.test(await text(page, "machines-pod")) && (await lines(page, "pod")).some((l) => l.includes("NOTE at work")));
  await page.locator("#machines-login").or(page.locator("#machines-pod button")).first().click();
  await page.fill("#login-agent", "mara");
  await page.fill("#login-token", token);
  await page.keyboard.press("Enter");
  await until("mara is in", async () => (await text(page, "who-name")) === "mara");
  await page.locator("#machines-pod button").click();
  const pressed = Date.now();
  assert.equal(await over, 0);
  t.diagnostic(`over ${Date.now() - pressed} ms after the press`);
  assert.match(said, /"reason":"stopped".*mara: stopped on the dashboard/);
  await until("it says so", async () => (await text(page, "machines-pod")).includes("Stopped by its flag"));
  refused(page, 401);
  clean(page);
});

test("what one may not see asks for a log-in; the rest is shown", async (t) => {
  const dir = await stateDir(t);
  const server = await startServer(t, dir, "127.0.0.1:0", ["--machines"], { small: true });
  const page = await openPage(t, `${server.url}/#view=machines`);
  await live(page);
  await title(page, "1 agent may report here");
  assert.match((await lines(page, "agents")).join(), /^mara May report Mara's machine/);
  await until("forwarding is not", async () => /shown to those who have logged in/.test(await text(page, "machines-forwarding")));
  await page.locator("#machines-login").click();
  await page.fill("#login-agent", "mara");
  await page.fill("#login-token", server.token);
  await page.keyboard.press("Enter");
  await title(page, "Forwarding: all events sent");
  assert.equal((await facts(page)).taken, "7 events");
  await until("no log-in is offered", () => page.locator("#machines-login").isHidden());
  await page.locator("#logout").click();
  await until("it is hidden again", async () => /shown to those who have logged in/.test(await text(page, "machines-forwarding")));
  assert.ok(!(await page.locator("#machines").innerText()).includes("serve.example"));
  refused(page, 401);
  clean(page);
});

const refused = (page, ...statuses) => {
  const left = page.complaints.filter((c) => !statuses.some((s) => c.includes(`the server responded with a status of ${s}`)));
  page.complaints.splice(0, Infinity, ...left);
};

test("a server that fails, or is older, is told in its place", async (t) => {
  const { page, show, says } = await machinesPage(t, { clawbots: 500, forwarding: 404 });
  await show();
  await until("the agents fail", async () => /as the test says/.test(await text(page, "machines-agents")));
  assert.match(await text(page, "machines-forwarding"), /restart it with a newer ape-claw/);
  await says({ clawbots: bots(bot("mara")), forwarding: out({ dead: 1 }), "forwarding/dead": 503 });
  await until("the rest is shown", async () => (await lines(page, "agents")).length === 1);
  assert.match(await text(page, "machines-dead"), /as the test says/);
  refused(page, 500, 404, 503);
  clean(page);
});

test("by keyboard", async (t) => {
  const { page } = await machinesPage(t, {});
  const where = () => page.locator(".views [aria-current=page]").innerText();
  for (const [key, want] of [["m", "Machines"], ["v", "On chain"], ["m", "Machines"], ["a", "Approvals"], ["m", "Machines"], ["m", "Events"], ["m", "Machines"], ["Escape", "Events"]]) {
    await page.keyboard.press(key);
    await until(`${key} leads to ${want}`, async () => (await where()) === want);
    assert.equal(await page.locator("main:visible").count(), 1);
  }
  refused(page, 404);
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
  proto: "__proto__",
};

test("strangers' text stays text, in its place", async (t) => {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    const { page, show, says } = await machinesPage(t, {}, { viewport });
    await show();
    const all = Object.values(hostile);
    for (let round = 0; round < 3; round++) { // each text is once in a field of its own
      const [url, agentId, missing, lastError] = [0, 1, 2, 3].map((i) => all[(4 * round + i) % all.length]);
      const odd = all[round];
      await says({
        clawbots: bots(...all.map((evil) => bot(evil, { name: `${evil}.`, createdAt: evil })), { agentId: { odd }, name: [odd], enabled: odd, createdAt: {} }, null, odd),
        forwarding: out({ url, agentId, missing, lastError, lastSuccess: odd, lastStatus: odd, breaker: { open: true, until: odd, failures: odd }, pending: { events: odd, bytes: odd }, lost: odd, others: null, dead: 2 }),
        "pod/status": pod({ lastHeartbeat: odd, tick: odd, openTasks: odd, stopReason: url, actions: [...all.map((evil) => act({ state: evil, by: evil, about: `${round} ${evil}`, text: evil, error: odd, began: evil, tick: odd })), null, odd, {}] }),
        "forwarding/dead": { letters: [...all.map((evil) => letter({ when: evil, agentId: evil, eventId: evil, status: evil, code: evil, reason: `${round} ${evil}`, eventType: evil })), null] },
      });
      await until("it is shown", async () => (await lines(page, "agents")).length === all.length + 3 && (await lines(page, "dead"))[0]?.includes(`${round} <img`));
      const found = await page.evaluate(() => {
        const out = [];
        const seen = document.getElementById("machines").textContent + [...document.querySelectorAll("#machines [title]")].map((n) => n.title).join("");
        const odd = seen.match(/[\u0001-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u200b\u2028-\u202e\u2066-\u206f\ufeff\u3164\p{Surrogate}]/gu);
        if (seen.includes("[object")) out.push("no text");
        if (odd) out.push(`unseen: ${[...new Set(odd)].map((c) => c.codePointAt(0).toString(16))}`);
        if (document.documentElement.scrollWidth > innerWidth) out.push("the page is wider than the window");
        const view = document.getElementById("machines");
        if (view.scrollWidth > view.clientWidth) out.push("the view is wider than its place");
        return out;
      });
      assert.deepEqual(found, [], `round ${round}, ${viewport.width}`);
    }
    assert.equal(await page.evaluate(() => window.owned), undefined);
    assert.equal(await page.locator("#machines :is(img, script, iframe, a)").count(), 0);
    clean(page);
    await page.close();
  }
});

test("axe finds nothing, in the dark, in the light, and on a phone", async (t) => {
  // axe is injected, which the page's policy rightly refuses: for this test it is off.
  const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
  const first = { clawbots: bots(bot("ana"), bot("mara", { name: "Mara's machine" }), bot("zoe", { enabled: false })),
    forwarding: out({ dead: 1, pending: { events: 4, bytes: 4000 }, lastError: "down", breaker: { open: true, until: ago(-60), failures: 2 } }), "forwarding/dead": { letters: [letter()] }, "pod/status": pod({ actions: [act(), act({ state: "failed", error: "exit status 1" })] }) };
  for (const [colorScheme, viewport] of [["dark", { width: 1440, height: 900 }], ["light", { width: 1440, height: 900 }], ["light", { width: 390, height: 844 }]]) {
    const { page, show } = await machinesPage(t, first, { colorScheme, viewport, bypassCSP: true });
    await show();
    await page.locator("#machines-dead li").waitFor();
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run().then((r) => r.violations.map((v) => [v.id, ...v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`)])));
    assert.deepEqual(found, [], `${colorScheme}, ${viewport.width}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/machines-${colorScheme}-${viewport.width}.png` });
    clean(page);
  }
});
