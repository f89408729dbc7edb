// The receipts that the log tells of, and those that somebody asks for, each as the
// chain has it. The log only says which traces to ask about.
import { read } from "./api.js";
import { splitEvents } from "./format.js";

const KEPT = 50; // receipts in the list
const LOOKS = 10; // of them looked at without being asked to
const AT_ONCE = 3;

const idOf = (v) => (typeof v === "string" && v && v.length <= 128 ? v : "");

export class Receipts {
  /** onChange: something in the list is new. */
  constructor(onChange) {
    this.onChange = onChange;
    this.forget();
  }

  forget() {
    this.all = []; // {trace, looking, answer, error}, newest first
    this.listed = false;
    this.turn = (this.turn ?? 0) + 1; // what was asked before comes to nothing
  }

  add(trace, first = true) {
    const held = this.all.find((r) => r.trace === trace);
    if (held) return held;
    const r = { trace, looking: false, answer: null, error: "" };
    first ? this.all.unshift(r) : this.all.push(r);
    this.all.length = Math.min(this.all.length, KEPT);
    return r;
  }

  /** A line of the log that tells of a receipt; chainId is the chain that is shown, undefined while that is not known. */
  told(raw, chainId, first = true) {
    try {
      const ev = JSON.parse(raw), trace = idOf(ev.result?.traceId) || idOf(ev.payload?.traceId);
      if (ev.eventType !== "v2.receipt.recorded" || !trace || (chainId !== undefined && ev.chainId !== chainId)) return;
      const r = this.add(trace, first);
      if (first) r.answer = null, r.error = "";
    } catch {
      // No line of ours.
    }
  }

  /** Reads from the log which receipts there are, once. */
  async list(chainId) {
    if (this.listed) return;
    const turn = this.turn;
    const r = await fetch(`/events/backlog?type=v2.receipt.recorded&limit=${KEPT}`, { cache: "no-store" }).catch(() => null);
    if (!r?.ok || turn !== this.turn) return; // tried again at the next look
    const lines = splitEvents(await r.text());
    if (turn !== this.turn) return;
    this.listed = true;
    for (const raw of lines.reverse()) this.told(raw, chainId, false);
  }

  /** Asks about the newest that nobody asked about. */
  async look() {
    const open = this.all.slice(0, LOOKS).filter((r) => !r.answer && !r.error && !r.looking);
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (let r = open.shift(); r; r = open.shift()) await this.ask(r);
    }));
  }

  /** Asks the chain about a trace, whatever is known. */
  async ask(r) {
    const turn = this.turn;
    r.looking = true;
    r.error = "";
    this.onChange();
    try {
      r.answer = await read(`receipt/get?traceId=${encodeURIComponent(r.trace)}`);
    } catch (e) {
      r.answer = null;
      r.error = `${e.message}${e.hint ? `. ${e.hint}` : ""}`;
    }
    r.looking = false;
    if (turn === this.turn) this.onChange();
  }

  /** What was found out is asked about again. */
  again() {
    for (const r of this.all) r.answer = null, r.error = "";
  }
}
