// Wires the parts together: the stream fills the store, the store is drawn once
// a frame, the keyboard moves through it.
import { Activity } from "./activity.js";
import { Approvals } from "./approvals.js";
import { Cards } from "./cards.js";
import { $, copy, el, toast } from "./dom.js";
import { fileOf, save } from "./export.js";
import { address, compile, isFiltered, noFilter, readAddress } from "./filter.js";
import { clip, number, plural, short, splitEvents, visible } from "./format.js";
import { Inspector } from "./inspector.js";
import { Keys } from "./keys.js";
import { BITE, CHARS, HOLD } from "./limits.js";
import { List } from "./list.js";
import { Machines } from "./machines.js";
import { Meters } from "./meters.js";
import { OnChain } from "./onchain.js";
import { Ring } from "./ring.js";
import { Session, upper } from "./session.js";
import { Store } from "./store.js";
import { connect } from "./stream.js";
import { go, routed, view } from "./views.js";

const BUDGET = 8; // ms of a frame for reading events; the rest waits for the next
const CATCHING_UP = 100; // ms between two drawings while more waits

const build = document.documentElement.dataset.build;
const store = new Store();
const activity = new Activity();
const meters = new Meters();
const cards = new Cards(toggle);
let filter = readAddress();
let pass = compile(filter);
let paused = false, state = { state: "connecting" }, staleSince = 0;
const inbox = new Ring(HOLD, CHARS); // arrived, not read yet
let read = 0; // number of the next one to read
let missed = 0; // that were not kept until they could be read

const inspector = new Inspector({ store, onStep: choose, onTrace: toggleTrace, onOlder: fetchOlder });
const list = new List({ onSelect: (rec) => inspector.show(rec), onTrace: toggleTrace });
const session = new Session({
  onIn: () => link.retry(),
  onOut: (required) => (required ? link.forget() : session.ask()),
  onWho(agentId) {
    approvals.who(agentId);
    chain.who();
    machines.who();
  },
});
const approvals = new Approvals({ session, onTrace: showTrace, onShown: () => schedule() });
const chain = new OnChain({ onTrace: showTrace });
const machines = new Machines({ onLogin: () => session.open(), onAgent: (agent) => showOnly({ agent }), records: () => store.all });
$("view-events").addEventListener("click", () => view() === "events" || go());

/** From another view to the events of a trace. */
function showTrace(trace) {
  showOnly({ trace });
}

function showOnly(which) {
  history.pushState(null, "", address({ ...noFilter(), ...which }));
  filter = readAddress();
  routed();
  refilter();
}

fetch("/api/events/schema").then((r) => r.json()).then((body) => {
  for (const t of body.types ?? []) inspector.meanings.set(t.type, t.meaning);
}).catch(() => {}); // meanings are a nicety: the page works without

// Arrival. What comes waits in the inbox, bounded however long the page pauses.

function arrive(items, lost) {
  missed += lost;
  for (const item of items) {
    if (item.live) {
      meters.came(item.at, item.raw.length);
      approvals.heard(item.raw);
    }
    // What comes right after the opening is taken for the backlog, and may be news all
    // the same: a view that was asked for a moment before looks once more.
    if (item.raw) {
      chain.heard(item.raw, item.live);
      machines.heard(item.raw);
    }
    inbox.push(item);
  }
  if (read < inbox.first) {
    missed += inbox.first - read;
    read = inbox.first;
  }
  // A hidden page has no frames: it reads at once, and draws when it is seen.
  if (document.hidden) {
    if (!paused) take(Infinity);
    headline();
  }
  schedule();
}

let scheduled = false;
function schedule() {
  if (scheduled || document.hidden) return;
  scheduled = true;
  requestAnimationFrame(frame);
}
document.addEventListener("visibilitychange", () => document.hidden || (scheduled = false, frame()));

let drawnAt = 0, added = 0, changed = false; // since the last drawing
function frame() {
  scheduled = false;
  const now = performance.now();
  if (!paused) take(now + BUDGET);
  // While there is much to read, reading comes before drawing.
  if (changed && (paused || read === inbox.next || now - drawnAt > CATCHING_UP)) {
    drawnAt = now;
    list.grow(added);
    inspector.refresh();
    summary();
    added = 0;
    changed = false;
  }
  headline();
  empty();
  if (!paused && read < inbox.next) schedule();
}

/** Reads what came, until a time. */
function take(end) {
  if (missed) {
    list.view.push(store.note(`${plural(missed, "event")} passed by here and ${missed === 1 ? "is" : "are"} only in the log`, Date.now()));
    missed = 0;
    added++;
    changed = true;
  }
  for (let n = 0; read < inbox.next; n++) {
    if (n % 32 === 31 && performance.now() > end) break;
    const item = inbox.shift();
    read++;
    const rec = item.note ? store.note(notes[item.note], item.at) : store.add(item.raw, item.id, item.at, item.live);
    if (!rec) continue;
    changed = true;
    const shown = pass(rec);
    if (!rec.note) activity.add(rec);
    if (item.live) meters.read(rec, shown);
    if (shown) {
      list.view.push(rec);
      added++;
    }
  }
  // Steps that were fetched before they came are in the view still.
  if (filter.trace && store.came.has(filter.trace)) {
    refilter(list.where());
    const held = list.selected && store.steps(list.selected.ev.traceId).find((r) => r.raw === list.selected.raw);
    if (held && held !== list.selected) list.select(held);
  }
  store.came.clear();
  if (store.full) {
    const left = store.bite();
    // A trace is kept whole while it is looked at, as far as that is bounded.
    if (!filter.trace || list.view.length > 2 * HOLD) list.bite(left);
    changed = true;
  }
}

const notes = {
  replaced: "The log was replaced here: what is older is of the log before",
  gone: "The log lost events here: they were removed before they could be shown",
};

/** Forgets all that was read. */
function restart() {
  inbox.clear();
  read = inbox.next;
  missed = 0;
  store.clear();
  activity.clear();
  meters.clear();
  list.selected = null;
  list.set([]);
  inspector.empty();
  summary();
  schedule();
}

// Words about it all

const words = { connecting: "Connecting", live: "Live", stale: "Stale", login: "Log in", refused: "Refused" };

function headline() {
  const waiting = inbox.next - read + missed;
  const title = `${paused ? `Paused (${waiting})` : words[state.state]} · ape-claw`;
  if (document.title !== title) document.title = title;
  const word = !paused ? "Pause" : waiting ? `Resume · ${number(waiting)} new` : "Resume";
  if ($("pause-word").textContent !== word) $("pause-word").textContent = word;
  const only = paused && missed ? `of them the newest ${number(inbox.next - read)} are kept, the others are only in the log` : "";
  if ($("pause-more").textContent !== only) $("pause-more").textContent = only;
  $("pause-more").hidden = !only;
}

function banner() {
  const { why = "", todo = "" } = state;
  const and = todo ? ` ${upper(todo)}.` : "";
  const text = {
    stale: () => `Not live: ${why}. What is shown ends at ${new Date(staleSince).toLocaleTimeString("en-GB")}.${and}`,
    refused: () => `${upper(why)}.${and}`,
    login: () => `Log in to read on: ${why}.`,
  }[state.state]?.() ?? "";
  $("banner").hidden = !text;
  $("banner-login").hidden = state.state !== "login";
  if ($("banner-text").textContent !== text) $("banner-text").textContent = visible(text);
  again();
}

/** Counts down to the next try, beside what is read out. */
function again() {
  const left = state.retryAt ? Math.max(1, Math.ceil((state.retryAt - Date.now()) / 1000)) : 0;
  $("banner-again").textContent = state.state === "login" ? "" : left ? `Trying again in ${left} s.` : "Trying again.";
}
setInterval(() => state.retryAt && again(), 1000);
$("banner-login").addEventListener("click", () => session.open());

let summaryAt = -1000, summaryLater = 0;
function summary(now = performance.now()) {
  if (now - summaryAt < 200) {
    summaryLater ||= setTimeout(() => ((summaryLater = 0), summary()), 220);
    return;
  }
  summaryAt = now;
  cards.draw(store.sums, filter);
  activity.changed();
  counts();
  choosers();
}

function counts() {
  const shown = list.view.length, all = store.events;
  const text = isFiltered(filter) ? `${number(list.view.filter((r) => !r.note).length)} of ${plural(all, "event")}` : plural(all, "event");
  $("count").textContent = text;
  $("count").title = store.dropped ? `the newest ones; ${plural(store.dropped, "older one")} passed through this page and ${store.dropped === 1 ? "is" : "are"} in the log` : "";
  $("clear").hidden = !isFiltered(filter);
  $("export-open").disabled = shown === 0;
}

function empty() {
  const node = $("empty");
  node.hidden = list.view.length > 0;
  if (node.hidden) return;
  const kind = store.all.length ? "filtered" : state.state === "live" || state.state === "stale" ? "none" : state.state;
  if (node.dataset.kind === kind) return;
  node.dataset.kind = kind;
  node.replaceChildren(...{
    filtered: () => [el("h2", null, "No event passes these filters"), el("p", null, "New ones that do appear here. ", el("kbd", null, "X"), " clears the filters.")],
    connecting: () => [el("h2", null, "Connecting"), el("p", null, "Asking for the newest events.")],
    login: () => [el("h2", null, "Who is there?"), el("p", null, "This server shows its events to those it knows.")],
    refused: () => [el("h2", null, "No events here yet"), el("p", null, "The server answers, but not with events: the line above says why.")],
    none: () => [el("h2", null, "No events yet"), el("p", null, "Every ape-claw command shows up here as it happens. To watch a whole purchase on your own machine:"), el("pre", null, "ape-claw demo")],
  }[kind]());
}

// Filters

const MOST_CHOICES = 300;
let choosersAt = -2000, choosersLater = 0;
function choosers(now = performance.now()) {
  const every = store.types.size + store.agents.size > 100 ? 1000 : 200;
  if (now - choosersAt < every) {
    choosersLater ||= setTimeout(() => ((choosersLater = 0), choosers()), every + 10);
    return;
  }
  choosersAt = now;
  choices($("f-type"), "All types", withFamilies(most(store.types)), filter.type);
  choices($("f-agent"), "All agents", most(store.agents).sort(([a], [b]) => (a < b ? -1 : 1)), filter.agent);
}

const most = (map) => (map.size <= MOST_CHOICES ? [...map] : [...map].sort(([, a], [, b]) => b - a).slice(0, MOST_CHOICES));

/** Types with their families, "nft.*", before their members. */
function withFamilies(types) {
  const families = new Map();
  for (const [t, n] of types) {
    if (!t.includes(".")) continue;
    const family = `${t.split(".")[0]}.*`;
    families.set(family, (families.get(family) ?? 0) + n);
  }
  return [...families, ...types].sort(([a], [b]) => (a.replace("*", "") < b.replace("*", "") ? -1 : 1));
}

function choices(select, all, entries, value) {
  if (document.activeElement === select) return; // never change under the user's hand
  const want = [["", all], ...entries.filter(([v]) => v).map(([v, n]) => [v, visible(`${clip(v, 80)}  (${number(n)})`)])];
  if (value && !want.some(([v]) => v === value)) want.push([value, visible(clip(value, 80))]);
  const same = select.options.length === want.length && want.every(([v, t], i) => select.options[i].value === v && select.options[i].text === t);
  if (!same) select.replaceChildren(...want.map(([v, t]) => el("option", { value: v }, t)));
  select.value = value;
}

const inputs = [["f-text", "text"], ["f-type", "type"], ["f-agent", "agent"], ["f-trace", "trace"]];

/** Shows what passes the filter; keep: where the reader was. */
function refilter(keep) {
  pass = compile(filter);
  const view = store.all.filter(pass);
  const older = filter.trace ? (store.older.get(filter.trace)?.steps ?? []) : [];
  list.set(older.length ? [...older.filter(pass), ...view] : view);
  added = 0;
  meters.recount(list.view);
  if (keep) list.go(keep);
  else if (list.selected) list.reveal(list.selected);
  list.draw();
  summaryAt = choosersAt = -2000;
  summary();
  meters.draw(isFiltered(filter));
  for (const [id, key] of inputs) {
    if ($(id).value.trim() !== filter[key]) $(id).value = filter[key]; // a space at the end may be one between two words
    $(id).closest(".field").classList.toggle("on", Boolean(filter[key]));
  }
  empty();
  if (filter.trace) fetchOlder(filter.trace);
}

/** Refilters after the filter was changed by hand; the address follows. */
function changeFilter(next = filter) {
  filter = next;
  refilter();
  history.replaceState(history.state, "", address(filter));
}

let typing = 0;
for (const [id, key] of inputs) {
  $(id).addEventListener("input", (e) => {
    filter[key] = e.target.value.trim();
    clearTimeout(typing);
    typing = setTimeout(changeFilter, key === "text" || key === "trace" ? 60 : 0);
  });
}
$("f-trace").addEventListener("focus", () => {
  $("traces").replaceChildren(...[...store.traces.keys()].slice(-50).reverse().map((t) => el("option", { value: t })));
});
$("filters").addEventListener("submit", (e) => {
  e.preventDefault();
  $("events").focus();
});
$("clear").addEventListener("click", () => changeFilter(noFilter()));

function toggle(set, kind) {
  filter[set].has(kind) ? filter[set].delete(kind) : filter[set].add(kind);
  changeFilter();
}

// A trace is a place of its own in the browser's history: back leads to the
// list as it was left.

function toggleTrace(rec) {
  const trace = rec?.ev.traceId;
  if (!trace) return;
  if (filter.trace === trace) {
    if (history.state?.jumped) history.back();
    else changeFilter({ ...filter, trace: "" });
    return;
  }
  history.replaceState({ ...history.state, at: list.where(), selected: rec.seq }, "");
  filter = { ...noFilter(), trace };
  history.pushState({ jumped: true }, "", address(filter));
  refilter();
}

addEventListener("popstate", (e) => {
  filter = readAddress();
  refilter(e.state?.at);
});

/** Fetches the steps of a trace from before what this page holds, once. */
async function fetchOlder(trace) {
  // What can be no trace's id is not asked for: it may be text that is being typed.
  if (!trace || trace.length > 128 || /[\p{Cc}\p{Surrogate}\u2028\u2029]/u.test(trace) || store.older.has(trace)) return;
  store.older.set(trace, { steps: [], raws: new Set(), full: false });
  const limit = 1000;
  try {
    const r = await fetch(`/events/backlog?limit=${limit}&traceId=${encodeURIComponent(trace)}`, { cache: "no-store" });
    if (r.status === 400) return; // no trace can have this id
    if (!r.ok) throw new Error(String(r.status));
    const text = await r.text();
    const lines = splitEvents(text);
    const found = store.before(trace, lines, lines.length >= limit || /"truncated":true}\s*$/.test(text));
    inspector.refresh();
    if (found && filter.trace === trace) refilter(list.following ? null : list.where());
  } catch {
    store.older.delete(trace); // asked again next time
  }
}

// Selection, pause, keys

function choose(rec) {
  if (!rec) {
    list.select(null, true);
    inspector.empty();
    list.scroll.focus();
    return;
  }
  list.select(rec, true);
  inspector.show(rec);
}

function pause() {
  paused = !paused;
  $("pause").setAttribute("aria-pressed", paused);
  $("pause").querySelector("use").setAttribute("href", paused ? "#i-play" : "#i-pause");
  document.body.classList.toggle("paused", paused);
  frame();
}
$("pause").addEventListener("click", pause);

function follow() {
  if (paused) pause();
  list.top();
}

function openExport() {
  const n = list.view.filter((r) => !r.note).length;
  if (!n) return toast("Nothing to export: no event passes the filters");
  $("export-what").textContent = `${plural(n, "event")}${isFiltered(filter) ? `, those of ${number(store.events)} that pass the filters` : ", all that this page holds"}.`;
  $("export").showModal();
}
for (const kind of ["jsonl", "csv"]) {
  $(`export-${kind}`).addEventListener("click", async () => {
    const records = list.view.filter((r) => !r.note);
    $("export").close();
    save(await fileOf(kind, records), `ape-claw-events-${new Date().toISOString().slice(0, 19).replace(/[-:]/g, "")}.${kind}`);
    toast(`Exported ${plural(records.length, "event")}`);
  });
}
$("export-open").addEventListener("click", openExport);
$("help-open").addEventListener("click", () => $("help").showModal());
$("update").addEventListener("click", () => location.reload());

Keys({
  view,
  approvals: () => approvals.go(!approvals.shown),
  chain: () => chain.go(!chain.shown),
  machines: () => machines.go(!machines.shown),
  inbox: (by) => approvals.move(by),
  outOfCard: () => (approvals.chosen ? approvals.choose("", true) : approvals.go(false)),
  move: (by) => list.move(by),
  open: () => (list.selected ? (inspector.show(list.selected), inspector.focus()) : list.move(1)),
  step: (by) => inspector.rec && inspector.step(by),
  trace: () => toggleTrace(list.selected ?? inspector.rec),
  copy: () => inspector.rec && copy(inspector.rec.raw, `event ${short(inspector.rec.id)}`),
  search: () => ($("f-text").focus(), $("f-text").select()),
  pause,
  follow,
  save: openExport,
  clear: () => changeFilter(noFilter()),
  help: () => $("help").showModal(),
  back() {
    if (document.activeElement?.closest("#inspector")) return list.scroll.focus();
    if (inspector.rec) return choose(null);
    if (isFiltered(filter)) changeFilter(noFilter());
  },
});

/** A server that came back may have brought another page. */
async function checkBuild() {
  const r = await fetch("/", { method: "HEAD", cache: "no-store" }).catch(() => null);
  const tag = r?.ok ? r.headers.get("ETag") : "";
  if (tag) $("update").hidden = tag === `"${build}"`;
}

// Started last: everything it touches is there.
refilter();
routed();
session.ask();
const link = connect({
  build,
  onItems: arrive,
  onState(next) {
    const was = state.state;
    if (next.state === "stale" && was !== "stale") staleSince = Date.now();
    state = next;
    $("state").dataset.state = next.state;
    $("state-word").textContent = words[next.state];
    $("state-more").textContent = next.state === "stale" ? `since ${new Date(staleSince).toLocaleTimeString("en-GB")}` : "";
    if (next.state === "login") was === "login" || session.ended(); // each try says so again
    else if (next.state === "live") {
      session.close();
      if (was !== "connecting") checkBuild();
      if (was === "login") session.ask();
    }
    banner();
    schedule();
  },
  onHealth(health, tabs) {
    const { body } = health;
    meters.health = health;
    approvals.offset = health.offset;
    meters.draw();
    const sandbox = body.profile?.sandbox === true;
    const node = $("profile");
    node.hidden = false;
    node.className = `profile ${sandbox ? "sandbox" : "real"}`;
    node.replaceChildren(el("b", null, sandbox ? "Sandbox" : "Real"), el("span", null, ` chain ${body.profile?.chainId ?? "?"}`));
    node.title = `ape-claw ${body.version ?? ""}: ${plural(body.counts?.clients ?? 0, "open stream")}, ${plural(body.counts?.badLines ?? 0, "unreadable line")} in the log`;
    $("state").title = document.body.dataset.stream === "shared" ? `one stream for ${plural(Math.max(1, tabs), "page")} of this browser` : "a stream of this page's own";
  },
  onKind: (kind) => (document.body.dataset.stream = kind),
  onForget() {
    restart();
    $("who").hidden = true;
    approvals.who("");
    chain.forget();
    machines.forget();
  },
});
