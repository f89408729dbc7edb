// The events this page holds, newest last, and what is known about them.
import { factsOf, flat, modeOf, outcomeOf, sentence } from "./describe.js";

/** The most events held; a bite of the oldest goes when it is passed. */
export const HOLD = 5000;
const BITE = 500;

export class Store {
  constructor() {
    this.seq = 0;
    this.dropped = 0;
    this.clear();
  }

  clear() {
    this.all = [];
    this.ids = new Set();
    this.traces = new Map(); // trace id -> records, in order
    this.types = new Map(); // type -> count
    this.agents = new Map();
    this.quotes = new Map(); // quote id -> what it was about
    this.sums = { sandbox: sum(), dry: sum(), real: sum(), refused: 0, failed: 0 };
  }

  /** Makes a record of a line; null when it is no event, or one held already. */
  add(raw, id) {
    if (id && this.ids.has(id)) return null;
    const rec = this.record(raw, id);
    if (!rec) return null;
    if (id) this.ids.add(id);
    this.all.push(rec);
    const { ev } = rec;
    push(this.traces, ev.traceId, rec);
    bump(this.types, ev.eventType, 1);
    bump(this.agents, ev.agentId, 1);
    this.tally(rec, 1);
    if (this.all.length > HOLD + BITE) this.bite();
    return rec;
  }

  record(raw, id) {
    let ev;
    try {
      ev = JSON.parse(raw);
    } catch {
      return null;
    }
    if (!ev || typeof ev !== "object" || Array.isArray(ev)) return null;
    for (const name of ["eventType", "agentId", "sessionId", "traceId", "command"]) ev[name] = String(ev[name] ?? "");
    const rec = { seq: ++this.seq, id, raw, ev, t: Date.parse(ev.ts), mode: modeOf(ev), outcome: outcomeOf(ev) };
    rec.facts = factsOf(rec, this.quotes);
    rec.parts = sentence(rec, this.quotes);
    if (ev.eventType === "nft.quote.created" && rec.facts.quoteId) this.quotes.set(rec.facts.quoteId, rec.facts);
    return rec;
  }

  tally(rec, by) {
    const s = this.sums;
    s[rec.mode].events += by;
    if (rec.outcome === "refused") s.refused += by;
    if (rec.outcome === "failed") s.failed += by;
    if (rec.ev.eventType !== "nft.buy.confirmed" || rec.outcome !== "ok") return;
    s[rec.mode].buys += by;
    if (rec.facts.wei && rec.facts.currency === "APE") s[rec.mode].wei += BigInt(by) * BigInt(rec.facts.wei);
  }

  bite() {
    for (const rec of this.all.splice(0, BITE)) {
      this.dropped++;
      this.ids.delete(rec.id);
      bump(this.types, rec.ev.eventType, -1);
      bump(this.agents, rec.ev.agentId, -1);
      this.tally(rec, -1);
      const trace = this.traces.get(rec.ev.traceId);
      if (trace?.[0] === rec) trace.shift();
      if (trace && trace.length === 0) this.traces.delete(rec.ev.traceId);
    }
    // Quotes outlive their event, or a late purchase would lose its name; they are bounded too.
    for (const key of this.quotes.keys()) {
      if (this.quotes.size <= HOLD) break;
      this.quotes.delete(key);
    }
  }
}

const sum = () => ({ events: 0, buys: 0, wei: 0n });

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

/** Filters are plain data, so that they fit the address bar. */
export const noFilter = () => ({ text: "", type: "", agent: "", trace: "", modes: new Set(), outcomes: new Set() });

export function isFiltered(f) {
  return Boolean(f.text || f.type || f.agent || f.trace || f.modes.size || f.outcomes.size);
}

export function passes(rec, f) {
  const { ev } = rec;
  if (f.modes.size && !f.modes.has(rec.mode)) return false;
  if (f.outcomes.size && !f.outcomes.has(rec.outcome)) return false;
  if (f.type && !typeMatches(ev.eventType, f.type)) return false;
  if (f.agent && ev.agentId !== f.agent) return false;
  if (f.trace && !ev.traceId.includes(f.trace)) return false;
  if (f.text) {
    const want = f.text.toLowerCase();
    rec.lower ??= (rec.raw + " " + flat(rec.parts)).toLowerCase();
    if (!rec.lower.includes(want)) return false;
  }
  return true;
}

/** "nft.*" takes every type below nft. */
export function typeMatches(type, want) {
  return want.endsWith(".*") ? type.startsWith(want.slice(0, -1)) : type === want;
}
