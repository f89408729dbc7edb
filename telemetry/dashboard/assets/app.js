// Wires the parts together: the stream fills the store, the store is drawn once
// a frame, the keyboard moves through it.
import { Activity } from "./activity.js";
import { modeWord } from "./describe.js";
import { $, copy, el, toast } from "./dom.js";
import { fromBase, number, plural, short } from "./format.js";
import { Inspector } from "./inspector.js";
import { Keys } from "./keys.js";
import { List } from "./list.js";
import { isFiltered, HOLD, noFilter, passes, Store } from "./store.js";
import { connect } from "./stream.js";

const store = new Store();
const activity = new Activity();
let filter = readHash();
let paused = false, state = "connecting", staleSince = 0, loaded = false, sandbox = false;
let inbox = []; // arrived, not drawn yet
let firstAt = 0;
let missed = 0; // dropped from the inbox while paused for long

const inspector = new Inspector({ store, onStep: choose, onTrace: toggleTrace });
const list = new List({ onSelect: (rec) => inspector.show(rec), onTrace: toggleTrace });

// Stream: started last, below, when everything it touches is there.

fetch("/api/events/schema").then((r) => r.json()).then((body) => {
  for (const t of body.types ?? []) inspector.meanings.set(t.type, t.meaning);
}).catch(() => {}); // meanings are a nicety: the page works without

function restart() {
  inbox = [];
  store.clear();
  activity.clear();
  list.set([]);
  list.selected = null;
  inspector.empty();
  schedule();
}

// Drawing: at most once a frame; by a timer when the tab is hidden and has no frames.

let scheduled = false;
function schedule() {
  if (scheduled) return;
  scheduled = true;
  if (document.hidden) setTimeout(frame, 500);
  else requestAnimationFrame(frame);
}

function frame() {
  scheduled = false;
  if (!paused && inbox.length) take();
  if (paused) headline();
  empty();
}

function take() {
  // What comes at once after the page opened is the backlog, and no rate.
  firstAt ||= performance.now();
  const live = performance.now() - firstAt > 2000;
  const dropped = store.dropped;
  let grew = 0;
  for (const [raw, id] of inbox) {
    const rec = store.add(raw, id);
    if (!rec) continue;
    activity.add(rec, live);
    if (passes(rec, filter)) {
      list.view.push(rec);
      grew++;
    }
  }
  inbox = [];
  if (store.dropped !== dropped) list.view = store.all.filter((r) => passes(r, filter));
  list.grow(grew);
  inspector.refresh();
  summary();
}

function headline() {
  const word = { connecting: "Connecting", live: "Live", stale: "Stale" }[state];
  const waiting = inbox.length + missed;
  document.title = `${paused ? `Paused (${waiting})` : word} · ape-claw`;
  $("pause-word").textContent = paused ? (waiting ? `Resume · ${number(waiting)} new` : "Resume") : "Pause";
}

function banner(text) {
  const node = $("banner");
  node.hidden = !text;
  if (node.textContent !== text) node.textContent = text;
}

let summaryAt = 0;
function summary() {
  const now = performance.now();
  if (now - summaryAt < 100) {
    setTimeout(() => performance.now() - summaryAt >= 100 && summary(), 120);
    return;
  }
  summaryAt = now;
  cards();
  activity.draw();
  choices($("f-type"), "All types", withFamilies(store.types), filter.type);
  choices($("f-agent"), "All agents", [...store.agents].sort(), filter.agent);
  const recent = [...store.traces.keys()].slice(-50).reverse();
  $("traces").replaceChildren(...recent.map((t) => el("option", { value: t })));
  counts();
}

function counts() {
  const all = store.all.length, shown = list.view.length;
  $("count").textContent = isFiltered(filter) ? `${number(shown)} of ${plural(all, "event")}` : plural(all, "event");
  $("clear").hidden = !isFiltered(filter);
}

function empty() {
  const node = $("empty");
  node.hidden = list.view.length > 0;
  if (node.hidden) return;
  const kind = store.all.length ? "filtered" : state === "connecting" ? "connecting" : "none";
  if (node.dataset.kind === kind) return;
  node.dataset.kind = kind;
  node.replaceChildren(...{
    filtered: () => [el("h2", null, "No event passes these filters"), el("p", null, "New ones that do appear here. ", el("kbd", null, "X"), " clears the filters.")],
    connecting: () => [el("h2", null, "Connecting"), el("p", null, "Asking for the newest events.")],
    none: () => [el("h2", null, "No events yet"), el("p", null, "Every ape-claw command shows up here as it happens. To watch a whole purchase on your own machine:"), el("pre", null, "ape-claw demo")],
  }[kind]());
}

// Cards: what the events add up to, and filters at once.

const cardKinds = [
  ["real", "modes", (s) => [s.real.buys ? `${fromBase(String(s.real.wei))} APE` : number(s.real.events), s.real.buys ? `${plural(s.real.buys, "token")} bought` : "events on a real chain"]],
  ["sandbox", "modes", (s) => [s.sandbox.buys ? `${fromBase(String(s.sandbox.wei))} APE` : number(s.sandbox.events), s.sandbox.buys ? `${plural(s.sandbox.buys, "purchase")}, nothing real` : "events, nothing real"]],
  ["dry", "modes", (s) => [number(s.dry.events), "on a real chain, nothing sent"]],
  ["refused", "outcomes", (s) => [number(s.refused), "by policy"]],
  ["failed", "outcomes", (s) => [number(s.failed), "failures"]],
];
const cardWord = { ...modeWord, refused: "Refused", failed: "Failed" };
const cardNodes = cardKinds.map(([kind, set]) => {
  const node = el(`button.card.${kind}`, { type: "button", "aria-pressed": "false", onclick: () => toggle(set, kind) },
    el("span", null, cardWord[kind]), el("b"), el("small"));
  $("cards").append(node);
  return node;
});

function cards() {
  cardKinds.forEach(([kind, set, read], i) => {
    const [big, small] = read(store.sums);
    const [, b, s] = cardNodes[i].children;
    b.textContent = big;
    s.textContent = small;
    cardNodes[i].setAttribute("aria-pressed", filter[set].has(kind));
  });
}

function toggle(set, kind) {
  filter[set].has(kind) ? filter[set].delete(kind) : filter[set].add(kind);
  refilter();
}

// Filters

/** Types with their families, "nft.*", before their members. */
function withFamilies(types) {
  const families = new Map();
  for (const [t, n] of types) {
    const family = `${t.split(".")[0]}.*`;
    families.set(family, (families.get(family) ?? 0) + n);
  }
  return [...families, ...types].sort(([a], [b]) => (a.replace("*", "") < b.replace("*", "") ? -1 : 1));
}

function choices(select, all, entries, value) {
  if (document.activeElement === select) return; // never change under the user's hand
  const want = [["", all], ...entries.map(([v, n]) => [v, `${v}  (${number(n)})`])];
  if (value && !want.some(([v]) => v === value)) want.push([value, value]);
  const same = select.options.length === want.length && want.every(([v, t], i) => select.options[i].value === v && select.options[i].text === t);
  if (!same) select.replaceChildren(...want.map(([v, t]) => el("option", { value: v }, t)));
  select.value = value;
}

function refilter() {
  list.set(store.all.filter((r) => passes(r, filter)));
  if (list.selected) list.reveal(list.selected);
  list.draw();
  summaryAt = 0;
  summary();
  for (const [id, key] of inputs) if ($(id).value !== filter[key]) $(id).value = filter[key];
  for (const [id, key] of inputs) $(id).closest(".field").classList.toggle("on", Boolean(filter[key]));
  writeHash();
  empty();
}

const inputs = [["f-text", "text"], ["f-type", "type"], ["f-agent", "agent"], ["f-trace", "trace"]];
for (const [id, key] of inputs) {
  $(id).addEventListener("input", (e) => {
    filter[key] = e.target.value.trim();
    refilter();
  });
}
$("filters").addEventListener("submit", (e) => {
  e.preventDefault();
  $("events").focus();
});
$("clear").addEventListener("click", clearFilters);

function clearFilters() {
  filter = noFilter();
  refilter();
}

function toggleTrace(rec) {
  if (!rec?.ev.traceId) return;
  filter.trace = filter.trace === rec.ev.traceId ? "" : rec.ev.traceId;
  refilter();
}

function readHash() {
  const q = new URLSearchParams(location.hash.slice(1));
  const f = noFilter();
  for (const key of ["text", "type", "agent", "trace"]) f[key] = q.get(key) ?? "";
  for (const m of q.getAll("mode")) if (Object.hasOwn(modeWord, m)) f.modes.add(m);
  for (const o of q.getAll("outcome")) if (o === "refused" || o === "failed") f.outcomes.add(o);
  return f;
}

function writeHash() {
  const q = new URLSearchParams();
  for (const key of ["text", "type", "agent", "trace"]) if (filter[key]) q.set(key, filter[key]);
  for (const m of filter.modes) q.append("mode", m);
  for (const o of filter.outcomes) q.append("outcome", o);
  history.replaceState(null, "", q.size ? `#${q}` : location.pathname);
}
addEventListener("hashchange", () => {
  filter = readHash();
  refilter();
});

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
  if (!paused && missed) toast(`${number(missed)} events passed while paused and are only in the log`);
  if (!paused) missed = 0;
  headline();
  schedule();
  if (!paused) frame(), headline();
}
$("pause").addEventListener("click", pause);
$("help-open").addEventListener("click", () => $("help").showModal());

Keys({
  move: (by) => list.move(by),
  open: () => (list.selected ? (inspector.show(list.selected), inspector.focus()) : list.move(1)),
  step: (by) => inspector.step(by),
  trace: () => toggleTrace(list.selected),
  copy: () => inspector.rec && copy(inspector.rec.raw, `event ${short(inspector.rec.id)}`),
  search: () => ($("f-text").focus(), $("f-text").select()),
  pause,
  clear: clearFilters,
  help: () => $("help").showModal(),
  back() {
    if (document.activeElement?.closest("#inspector")) return list.scroll.focus();
    if (list.selected) return choose(null);
    if (isFiltered(filter)) clearFilters();
  },
});

setInterval(() => {
  const r = activity.rate();
  $("rate").textContent = r >= 0.2 ? `${r >= 10 ? Math.round(r) : r.toFixed(1)} events/s` : "";
}, 1000);

refilter();
connect({
  onEvent(raw, id) {
    inbox.push([raw, id]);
    if (inbox.length > HOLD) missed += inbox.splice(0, inbox.length - HOLD).length;
    schedule();
  },
  onState(next, why) {
    if (next === "stale" && state !== "stale") staleSince = Date.now();
    state = next;
    loaded ||= next === "live";
    const more = next === "stale" ? `since ${new Date(staleSince).toLocaleTimeString("en-GB")}` : "";
    $("state").dataset.state = next;
    $("state-word").textContent = { connecting: "Connecting", live: "Live", stale: "Stale" }[next];
    $("state-more").textContent = more;
    banner(next === "stale" ? `Not live: ${why}. What is shown ends at ${new Date(staleSince).toLocaleTimeString("en-GB")}; trying again.` : "");
    headline();
    schedule();
  },
  onReset(data) {
    if (data.reason === "unknown") {
      restart();
      toast("The log was replaced: showing the new one");
      return "reload";
    }
    toast("Some events were removed before they could be shown");
    return "";
  },
  onHealth(body) {
    sandbox = body.profile?.sandbox === true;
    const node = $("profile");
    node.hidden = false;
    node.className = `profile ${sandbox ? "sandbox" : "real"}`;
    node.replaceChildren(el("b", null, sandbox ? "Sandbox" : "Real"), ` chain ${body.profile?.chainId ?? "?"}`);
    node.title = `ape-claw ${body.version ?? ""}: ${plural(body.counts?.clients ?? 0, "open stream")}, ${plural(body.counts?.badLines ?? 0, "unreadable line")} in the log`;
  },
});
