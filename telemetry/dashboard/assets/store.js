// The events this page holds, oldest first, and what is known about them. What
// happens for each event costs the same however many are held.
import { factsOf, flat, modeOf, outcomeOf, sentence } from "./describe.js";
import { BITE, CHARS, HOLD } from "./limits.js";

const OLDER_TRACES = 50; // traces whose fetched steps are kept
const OLDER_STEPS = 3000;

// What becomes of a purchase that was sent.
const OUTCOMES = new Set(["confirmed", "reverted", "unknown", "cancelled", "replaced"].map((word) => `nft.buy.${word}`));

export { HOLD };

export class Store {
  constructor() {
    this.seq = 0;
    this.oldSeq = 0;
    this.dropped = 0;
    this.clear();
  }

  clear() {
    this.all = [];
    this.events = 0; // without the notes
    this.chars = 0;
    this.ids = new Set();
    this.traces = new Map(); // trace id -> records, in order
    this.older = new Map(); // trace id -> steps that are not among all: see before()
    this.came = new Set(); // traces with steps that were fetched first, and came since
    this.types = new Map(); // type -> count
    this.agents = new Map();
    this.quotes = new Map(); // quote id -> what it was about
    this.bought = new Map(); // quote id -> the event that counts as its purchase
    this.sums = { sandbox: sum(), dry: sum(), real: sum(), refused: 0, failed: 0 };
  }

  /** Makes a record of a line; null when it is no event, or one held already. */
  add(raw, id, at = 0, live = false) {
    if (id && this.ids.has(id)) return null;
    const rec = this.record(raw, id);
    if (!rec) return null;
    rec.at = at;
    rec.live = live;
    if (id) this.ids.add(id);
    const { ev } = rec;
    this.all.push(rec);
    this.events++;
    this.chars += raw.length;
    push(this.traces, ev.traceId, rec);
    bump(this.types, ev.eventType, 1);
    bump(this.agents, ev.agentId, 1);
    this.tally(rec, 1);
    const older = this.older.get(ev.traceId);
    if (older?.raws.delete(raw)) {
      older.steps = older.steps.filter((s) => s.raw !== raw); // it was fetched before it came
      this.came.add(ev.traceId);
    }
    return rec;
  }

  /** A line of the page's own among the events. */
  note(text, at) {
    const ev = { ts: "", eventType: "", agentId: "", sessionId: "", traceId: "", command: "" };
    const rec = { seq: ++this.seq, id: "", raw: "", ev, t: at, at, note: true, mode: "note", outcome: "ok", facts: {}, parts: [text], say: text };
    this.all.push(rec);
    return rec;
  }

  record(raw, id, seq = ++this.seq) {
    let ev;
    try {
      ev = JSON.parse(raw);
    } catch {
      return null;
    }
    if (!ev || typeof ev !== "object" || Array.isArray(ev)) return null;
    for (const name of ["eventType", "agentId", "sessionId", "traceId", "command"]) ev[name] = string(ev[name]);
    const rec = { seq, id, raw, ev, t: Date.parse(ev.ts), at: 0, live: false, note: false, mode: modeOf(ev), outcome: outcomeOf(ev), facts: null, parts: null, say: "" };
    rec.facts = factsOf(rec, this.quotes);
    rec.parts = sentence(rec);
    rec.say = flat(rec.parts);
    if (ev.eventType === "nft.quote.created" && rec.facts.quoteId) this.quotes.set(rec.facts.quoteId, rec.facts);
    // The payload is in the line still: held twice it would cost the most.
    const { ts, eventType, agentId, sessionId, traceId, command, dryRun, chainId, error } = ev;
    rec.ev = { ts, eventType, agentId, sessionId, traceId, command, dryRun, chainId, error };
    return rec;
  }

  tally(rec, by) {
    const s = this.sums;
    s[rec.mode].events += by;
    if (rec.outcome === "refused") s.refused += by;
    if (rec.outcome === "failed") s.failed += by;
    if (!OUTCOMES.has(rec.ev.eventType)) return;
    // A reorganisation can take a purchase back, and it may be confirmed again: of
    // one quote the last word counts.
    const key = rec.facts.quoteId || rec.facts.txHash || rec.seq, last = this.bought.get(key);
    if (last && (by > 0 || last === rec)) {
      this.bought.delete(key);
      this.buys(last, -1);
    }
    if (by < 0 || rec.ev.eventType !== "nft.buy.confirmed" || rec.outcome !== "ok") return;
    this.bought.set(key, rec);
    this.buys(rec, 1);
  }

  buys({ mode, facts }, by) {
    const s = this.sums[mode];
    s.buys += by;
    if (facts.wei && facts.currency === "APE") s.wei += BigInt(by) * BigInt(facts.wei);
  }

  /** Whether more is held than may be. */
  get full() {
    return this.all.length > HOLD + BITE || this.chars > CHARS + CHARS / 16;
  }

  /** Lets go of the oldest, and returns the number of the oldest one left. */
  bite() {
    let n = 0, chars = this.chars;
    while (n < this.all.length - 1 && (this.all.length - n > HOLD || chars > CHARS)) chars -= this.all[n++].raw.length;
    const gone = new Map(); // trace id -> how many of it go
    for (const rec of this.all.splice(0, n)) {
      if (rec.note) continue;
      this.dropped++;
      this.events--;
      this.ids.delete(rec.id);
      bump(this.types, rec.ev.eventType, -1);
      bump(this.agents, rec.ev.agentId, -1);
      bump(gone, rec.ev.traceId, 1);
      this.tally(rec, -1);
    }
    this.chars = chars;
    for (const [trace, k] of gone) {
      const held = this.traces.get(trace);
      const out = held.splice(0, k);
      if (!held.length) this.traces.delete(trace);
      const older = this.older.get(trace);
      if (older) older.steps.push(...out.slice(-OLDER_STEPS)), older.steps.splice(0, older.steps.length - OLDER_STEPS);
    }
    // Quotes outlive their event, or a late purchase would lose its name; they are bounded too.
    for (const key of this.quotes.keys()) {
      if (this.quotes.size <= HOLD) break;
      this.quotes.delete(key);
    }
    return this.all[0]?.seq ?? this.seq + 1;
  }

  /** All known steps of a trace, oldest first. */
  steps(trace) {
    const held = this.traces.get(trace) ?? [], older = this.older.get(trace)?.steps;
    return older?.length ? [...older, ...held] : held;
  }

  /**
   * Takes in the lines of a trace that were fetched, oldest first, and keeps
   * those from before what is held. full: there may be older ones still.
   */
  before(trace, lines, full) {
    const held = new Set((this.traces.get(trace) ?? []).map((r) => r.raw));
    const first = lines.findIndex((raw) => held.has(raw));
    // What follows the first one held is held too, or still to come by the stream.
    const old = first < 0 ? lines : lines.slice(0, first);
    this.oldSeq -= old.length;
    const steps = old.map((raw, i) => this.record(raw, "", this.oldSeq + i)).filter(Boolean);
    this.older.set(trace, { steps, raws: new Set(old), full });
    if (this.older.size > OLDER_TRACES) this.older.delete(this.older.keys().next().value);
    return steps.length;
  }
}

const sum = () => ({ events: 0, buys: 0, wei: 0n });
const string = (v) => (typeof v === "string" ? v : v === undefined || v === null ? "" : typeof v === "object" ? JSON.stringify(v) : String(v));

function push(map, key, value) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function bump(map, key, by) {
  const n = (map.get(key) ?? 0) + by;
  if (n > 0) map.set(key, n);
  else map.delete(key);
}

/** The index of the first record whose number is at least seq. */
export function place(list, seq) {
  let low = 0, high = list.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (list[mid].seq < seq) low = mid + 1;
    else high = mid;
  }
  return low;
}
