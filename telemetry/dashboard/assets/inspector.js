// The right side: the selected event's trace as a timeline, and the event.
import { chainName, explorer, outcomeWord } from "./describe.js";
import { $, copy, el, icon, parts } from "./dom.js";
import { clock, hue, number, plural, pretty, short, shortTrace, span, splitEvents } from "./format.js";
import { badge } from "./list.js";

const COLOUR_MOST = 64 << 10; // longer events are shown without colours
const TEXT_MOST = 512 << 10;

export class Inspector {
  constructor({ store, onStep, onTrace }) {
    this.store = store;
    this.root = $("inspector");
    this.onStep = onStep;
    this.onTrace = onTrace;
    this.meanings = new Map();
    this.older = new Map(); // trace id -> records this page does not hold otherwise
    this.rec = null;
    this.empty();
  }

  empty() {
    this.rec = null;
    this.root.classList.remove("open");
    this.root.replaceChildren(el("div.hint", null,
      el("h2", null, "Nothing selected"),
      el("p", null, "Choose an event to see its whole trace, step by step, and everything it says."),
      el("p", null, el("kbd", null, "J"), " ", el("kbd", null, "K"), " to move, ", el("kbd", null, "?"), " for all keys")));
  }

  show(rec) {
    this.rec = rec;
    this.root.classList.add("open");
    this.root.scrollTop = 0;
    this.draw();
    this.loadOlder(rec);
  }

  focus() {
    if (this.rec) this.root.focus();
  }

  /** Called when new events came: a trace in sight may have grown. */
  refresh() {
    if (!this.rec) return;
    if (this.steps().length !== this.drawn) this.draw();
  }

  steps() {
    const held = this.store.traces.get(this.rec.ev.traceId) ?? [];
    const older = this.older.get(this.rec.ev.traceId) ?? [];
    if (!this.rec.ev.traceId) return [this.rec];
    const known = new Set(held.map((r) => r.raw));
    const all = [...older.filter((r) => !known.has(r.raw)), ...held];
    return all.includes(this.rec) ? all : [this.rec, ...all];
  }

  step(by) {
    const steps = this.steps();
    const next = steps[steps.indexOf(this.rec) + by];
    if (next) this.onStep(next);
  }

  /** Asks the server for the steps from before this page's backlog. */
  async loadOlder(rec) {
    const trace = rec.ev.traceId;
    if (!trace || this.older.has(trace)) return;
    this.older.set(trace, []);
    if (this.older.size > 50) this.older.delete(this.older.keys().next().value);
    try {
      const r = await fetch(`/events/backlog?limit=300&traceId=${encodeURIComponent(trace)}`);
      if (!r.ok) return;
      const held = new Set((this.store.traces.get(trace) ?? []).map((x) => x.raw));
      const found = splitEvents(await r.text()).filter((raw) => !held.has(raw));
      this.older.set(trace, found.map((raw) => this.store.record(raw, "")).filter(Boolean));
      if (this.rec?.ev.traceId === trace) this.draw();
    } catch {
      this.older.delete(trace); // asked again next time
    }
  }

  draw() {
    const steps = this.steps();
    this.drawn = steps.length;
    this.root.replaceChildren(this.head(), this.timeline(steps), this.detail());
  }

  head() {
    const { rec } = this;
    return el("header.sheet", null,
      el("div.over", null, badge(rec), el("span.outcome", { "data-outcome": rec.outcome }, icon(rec.outcome), outcomeWord[rec.outcome]),
        el("span.grow"), button("close", "Close", () => this.onStep(null))),
      el("h2", null, parts(rec.parts)),
      el("p.sub", null, el("span", null, rec.ev.agentId || "no agent"), el("span", null, rec.ev.command || "no command"), el("span", null, chainName(rec.ev.chainId))));
  }

  timeline(steps) {
    const { rec } = this;
    const trace = rec.ev.traceId;
    const start = steps[0].t, end = steps.at(-1).t, total = end - start;
    const list = el("ol.steps", null, steps.map((s, i) => this.stepItem(s, steps[i - 1])));
    const ruler = el("div.ruler", { "aria-hidden": "true" }, total > 0 ? steps.map((s) => {
      const dot = el("i", { "data-outcome": s.outcome, class: s === rec ? "now" : null });
      dot.style.left = `${Math.max(0, Math.min(100, ((s.t - start) / total) * 100))}%`;
      return dot;
    }) : []);
    const chip = el("button.trace", { type: "button", title: "show this trace only", onclick: () => this.onTrace(rec) }, el("i"), el("code", null, shortTrace(trace)));
    chip.style.setProperty("--hue", hue(trace));
    return el("section.timeline", { "aria-label": "Trace" },
      el("h3", null, "Trace", chip, el("span.grow"), el("small", null, `${plural(steps.length, "step")}${total > 0 ? ` in ${span(total)}` : ""}`)),
      total > 0 ? ruler : "", list);
  }

  stepItem(s, before) {
    const f = s.facts;
    const chips = [];
    if (f.txHash) chips.push(el("span.chip", null, el("small", null, "tx"), el("code", null, short(f.txHash))));
    if (f.block !== undefined) chips.push(el("span.chip", null, el("small", null, "block"), el("code", null, number(f.block))));
    if (f.owner) chips.push(el("span.chip", null, el("small", null, "owner"), el("code", null, short(f.owner))));
    if (f.fee) chips.push(el("span.chip", null, el("small", null, "fee"), el("code", null, `${f.fee} APE`)));
    const delta = before ? `+${span(s.t - before.t)}` : clock(s.t);
    return el("li", { "data-outcome": s.outcome, "data-mode": s.mode },
      el("button.step", { type: "button", "aria-current": s === this.rec ? "step" : null, onclick: () => this.onStep(s) },
        el("span.node", null, icon(s.outcome, outcomeWord[s.outcome])),
        el("span.say", null, parts(s.parts)),
        el("time", null, delta),
        el("code.kind", null, s.ev.eventType),
        chips.length ? el("span.chips", null, chips) : ""));
  }

  detail() {
    const { rec } = this;
    const f = rec.facts, ev = rec.ev;
    const rows = [];
    const row = (name, ...value) => rows.push(el("div", null, el("dt", null, name), el("dd", null, value)));
    const hash = (name, value, kind) => value && row(name, el("code", { title: value }, kind ? value : short(value)), copyButton(value, name), link(rec, kind, value));
    if (f.amount) row("Price", el("span.money", null, `${f.amount} ${f.currency}`));
    if (f.fee) row("Network fee", el("span", null, `${f.fee} APE`));
    hash("Transaction", f.txHash, "tx");
    if (f.block !== undefined) row("Block", el("code", null, number(f.block)));
    hash("New owner", f.owner, "address");
    if (f.quoteId) row("Quote", el("code", null, f.quoteId), copyButton(f.quoteId, "the quote id"));
    if (ev.error) row("Error", el("span.bad", null, String(ev.error)));
    const meaning = this.meanings.get(ev.eventType);
    row("Type", el("code", null, ev.eventType), meaning ? el("small", null, meaning) : "");
    row("Time", el("code", null, String(ev.ts ?? "")));
    row("Trace", el("code", null, ev.traceId || "none"), ev.traceId ? copyButton(ev.traceId, "the trace id") : "");
    row("Session", el("code", null, ev.sessionId || "none"));
    if (rec.id) row("Cursor", el("code", null, rec.id));
    return el("section.detail", { "aria-label": "Event" },
      el("h3", null, "Event"), el("dl.facts", null, rows),
      el("h3", null, "JSON", el("span.grow"), el("button.button.small", { type: "button", onclick: () => copy(rec.raw, "the event") }, icon("copy"), "Copy")),
      json(rec.raw));
  }
}

function json(raw) {
  const pre = el("pre.json", { tabindex: "0", role: "region", "aria-label": "the event as JSON" });
  if (raw.length > COLOUR_MOST) {
    pre.textContent = raw.slice(0, TEXT_MOST) + (raw.length > TEXT_MOST ? "\n… cut here; copy gives all of it" : "");
    return pre;
  }
  for (const [kind, text] of pretty(raw)) pre.append(kind === "space" || kind === "mark" ? text : el(`span.${kind}`, null, text));
  return pre;
}

function button(name, label, onclick) {
  return el("button.button.square.quiet", { type: "button", "aria-label": label, title: label, onclick }, icon(name));
}

function copyButton(value, what) {
  return el("button.tiny", { type: "button", "aria-label": `copy ${what}`, title: `copy ${what}`, onclick: () => copy(value, what) }, icon("copy"));
}

function link(rec, kind, value) {
  const href = kind && rec.mode === "real" ? explorer(rec, kind, value) : "";
  return href ? el("a.tiny", { href, target: "_blank", rel: "noopener noreferrer", "aria-label": "open in the block explorer" }, icon("out")) : "";
}
