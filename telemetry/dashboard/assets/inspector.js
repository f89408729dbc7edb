// The right side: the selected event's trace as a timeline, and the event.
import { chainName, explorer, outcomeWord } from "./describe.js";
import { $, copy, el, icon, parts } from "./dom.js";
import { clip, clock, fullTime, hue, number, plural, pretty, short, shortTrace, span, visible } from "./format.js";
import { badge } from "./list.js";

const COLOUR_MOST = 64 << 10; // longer events are shown without colours
const TEXT_MOST = 128 << 10;
const STEPS = { head: 10, around: 40, tail: 10 }; // of a long trace only these are drawn
const REDRAW = 250; // ms between two drawings of a trace that grows

export class Inspector {
  constructor({ store, onStep, onTrace, onOlder }) {
    this.store = store;
    this.onOlder = onOlder;
    this.root = $("inspector");
    this.onStep = onStep;
    this.onTrace = onTrace;
    this.meanings = new Map();
    this.drawnAt = 0;
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
    this.onOlder(rec.ev.traceId);
  }

  focus() {
    if (this.rec) this.root.focus();
  }

  /** Called when events came: the trace in sight may have grown. */
  refresh() {
    if (!this.rec || !this.rec.ev.traceId || this.store.steps(this.rec.ev.traceId).length === this.known) return;
    const wait = this.drawnAt + REDRAW - performance.now();
    clearTimeout(this.later);
    if (wait <= 0) this.draw();
    else this.later = setTimeout(() => this.refresh(), wait);
  }

  steps() {
    if (!this.rec.ev.traceId) return [this.rec];
    const all = this.store.steps(this.rec.ev.traceId);
    return all.includes(this.rec) ? all : [this.rec, ...all];
  }

  step(by) {
    const steps = this.steps();
    const next = steps[steps.indexOf(this.rec) + by];
    if (next) this.onStep(next);
  }

  draw() {
    const steps = this.steps();
    this.known = this.store.steps(this.rec.ev.traceId).length;
    this.drawnAt = performance.now();
    // What has the keyboard keeps it over a redraw.
    const focused = [...this.root.querySelectorAll("button, .json")].indexOf(document.activeElement);
    const top = this.root.scrollTop;
    this.root.replaceChildren(this.head(), this.timeline(steps), this.detail());
    this.root.scrollTop = top;
    if (focused >= 0) this.root.querySelectorAll("button, .json")[focused]?.focus({ preventScroll: true });
  }

  head() {
    const { rec } = this;
    return el("header.sheet", null,
      el("div.over", null, badge(rec), el("span.outcome", { "data-outcome": rec.outcome }, icon(rec.outcome), outcomeWord[rec.outcome]),
        el("span.grow"), button("close", "Close", () => this.onStep(null))),
      el("h2", null, parts(rec.parts)),
      el("p.sub", null, el("span", null, clip(rec.ev.agentId, 120) || "no agent"), el("span", null, clip(rec.ev.command) || "no command"), el("span", null, chainName(rec.ev.chainId))));
  }

  timeline(steps) {
    const { rec } = this;
    const trace = rec.ev.traceId;
    const start = steps[0].t, end = steps.at(-1).t, total = end - start;
    const shown = inSight(steps.length, steps.indexOf(rec));
    const list = el("ol.steps", null, shown.map((i, k) => [
      k && i > shown[k - 1] + 1 ? el("li.gap", null, `${plural(i - shown[k - 1] - 1, "step")} between; T lists all`) : "",
      this.stepItem(steps[i], steps[i - 1])]).flat());
    const ruler = el("div.ruler", { "aria-hidden": "true" }, total > 0 ? shown.map((i) => {
      const s = steps[i];
      const dot = el("i", { "data-outcome": s.outcome, class: s === rec ? "now" : null });
      dot.style.left = `${Math.max(0, Math.min(100, ((s.t - start) / total) * 100))}%`;
      return dot;
    }) : []);
    const more = this.store.older.get(trace)?.full;
    const chip = el("button.trace", { type: "button", title: "show all of this trace (T)", onclick: () => this.onTrace(rec) }, el("i"), el("code", null, clip(shortTrace(trace), 40)));
    chip.style.setProperty("--hue", hue(trace.slice(0, 200)));
    return el("section.timeline", { "aria-label": "Trace" },
      el("h3", null, "Trace", chip, el("span.grow"), el("small", null, `${plural(steps.length, "step")}${total > 0 ? ` in ${span(total)}` : ""}`)),
      more ? el("p.more", null, "It may have begun earlier: only the newest part of the log was searched.") : "",
      total > 0 ? ruler : "", list);
  }

  stepItem(s, before) {
    const f = s.facts;
    const chips = [];
    if (f.txHash) chips.push(el("span.chip", null, el("small", null, "tx"), el("code", null, short(f.txHash))));
    if (f.block !== undefined) chips.push(el("span.chip", null, el("small", null, "block"), el("code", null, clip(number(f.block), 40))));
    if (f.owner) chips.push(el("span.chip", null, el("small", null, "owner"), el("code", null, short(f.owner))));
    if (f.fee) chips.push(el("span.chip", null, el("small", null, "fee"), el("code", null, `${f.fee} APE`)));
    const delta = before ? `+${span(s.t - before.t)}` : clock(s.t);
    return el("li", { "data-outcome": s.outcome, "data-mode": s.mode },
      el("button.step", { type: "button", "aria-current": s === this.rec ? "step" : null, onclick: () => this.onStep(s) },
        el("span.node", null, icon(s.outcome, outcomeWord[s.outcome])),
        el("span.say", null, parts(s.parts)),
        el("time", { title: fullTime(s.t, s.ev.ts) }, delta),
        el("code.kind", null, clip(s.ev.eventType, 120)),
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
    if (f.block !== undefined) row("Block", el("code", null, clip(number(f.block), 40)));
    hash("New owner", f.owner, "address");
    if (f.quoteId) row("Quote", el("code", null, f.quoteId), copyButton(f.quoteId, "the quote id"));
    if (ev.error) row("Error", el("span.bad", null, clip(typeof ev.error === "string" ? ev.error : JSON.stringify(ev.error), 2000)));
    const meaning = this.meanings.get(ev.eventType);
    row("Type", el("code", null, clip(ev.eventType)), meaning ? el("small", null, meaning) : "");
    row("Time", el("code", { title: fullTime(rec.t, ev.ts) }, clip(String(ev.ts ?? ""), 60)));
    row("Trace", el("code", null, clip(ev.traceId) || "none"), ev.traceId ? copyButton(ev.traceId, "the trace id") : "");
    row("Session", el("code", null, clip(ev.sessionId) || "none"));
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
    pre.textContent = visible(raw.slice(0, TEXT_MOST)) + (raw.length > TEXT_MOST ? "\n… cut here; copy gives all of it" : "");
    return pre;
  }
  for (const [kind, text] of pretty(raw)) pre.append(kind === "space" || kind === "mark" ? text : el(`span.${kind}`, null, text));
  return pre;
}

/** Which steps of a trace are drawn: its start, what is around the chosen one, its end. */
export function inSight(total, at) {
  const out = [];
  for (let i = 0; i < total; i++) {
    if (i < STEPS.head || i >= total - STEPS.tail || Math.abs(i - at) <= STEPS.around) out.push(i);
    else if (i < at - STEPS.around) i = at - STEPS.around - 1;
    else i = Math.max(i, total - STEPS.tail - 1);
  }
  return out;
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
