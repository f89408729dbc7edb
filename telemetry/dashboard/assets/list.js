// The list draws only the rows in sight, from a small pool of elements, once a
// frame however many events came.
import { isMoney, modeWord, outcomeWord } from "./describe.js";
import { $, el, icon, parts } from "./dom.js";
import { clock, hue, shortTrace } from "./format.js";

const ROW = 34;
const OVER = 8; // rows drawn beyond each edge

export class List {
  constructor({ onSelect, onTrace }) {
    this.scroll = $("events");
    this.body = $("rows");
    this.newer = $("newer");
    this.view = []; // records, newest last; shown the other way round
    this.pool = [];
    this.selected = null;
    this.unseen = 0;
    this.onSelect = onSelect;
    this.scroll.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.scroll);
    this.body.addEventListener("click", (e) => {
      const row = e.target.closest(".row");
      if (!row) return;
      const rec = this.view.find((r) => r.seq === row.seq);
      if (!rec) return;
      if (e.target.closest(".trace")) onTrace(rec);
      this.select(rec);
    });
    this.newer.addEventListener("click", () => this.top());
  }

  /** Replaces everything, as after a change of filter. */
  set(view) {
    this.view = view;
    this.unseen = 0;
    this.scroll.scrollTop = 0;
    this.resize();
  }

  /** Adds new records at the top; what is being read stays in place. */
  grow(count) {
    this.resize();
    if (this.scroll.scrollTop > 4) {
      this.unseen += count;
      this.scroll.scrollTop += count * ROW;
      this.draw();
    }
  }

  resize() {
    this.body.style.height = `${this.view.length * ROW}px`;
    this.draw();
  }

  top() {
    this.scroll.scrollTop = 0;
    this.draw();
    this.scroll.focus();
  }

  at(i) {
    return this.view[this.view.length - 1 - i];
  }

  indexOf(rec) {
    const i = this.view.indexOf(rec);
    return i < 0 ? -1 : this.view.length - 1 - i;
  }

  /** Moves the selection; by Infinity to an end. */
  move(by) {
    if (!this.view.length) return;
    const now = this.indexOf(this.selected);
    const last = this.view.length - 1;
    const next = now < 0 ? (by < 0 && by !== -Infinity ? last : by === Infinity ? last : 0) : now + by;
    this.select(this.at(Math.max(0, Math.min(last, next))));
  }

  select(rec, quiet) {
    this.selected = rec;
    this.reveal(rec);
    this.draw();
    if (!quiet) this.onSelect(rec);
  }

  reveal(rec) {
    const i = rec ? this.indexOf(rec) : -1;
    if (i < 0) return;
    const top = i * ROW, view = this.scroll;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + ROW > view.scrollTop + view.clientHeight) view.scrollTop = top + ROW - view.clientHeight;
  }

  draw() {
    const { scrollTop, clientHeight } = this.scroll;
    const total = this.view.length;
    if (scrollTop <= 4) this.unseen = 0;
    this.newer.hidden = this.unseen === 0;
    if (this.unseen) this.newer.replaceChildren(icon("up"), `${this.unseen} newer`);
    const from = Math.max(0, Math.floor(scrollTop / ROW) - OVER);
    const to = Math.min(total, Math.ceil((scrollTop + clientHeight) / ROW) + OVER);
    const n = Math.max(0, to - from);
    while (this.pool.length < n) {
      const row = makeRow();
      this.pool.push(row);
      this.body.append(row);
    }
    for (let k = 0; k < this.pool.length; k++) {
      const row = this.pool[k];
      const i = from + ((k - (from % this.pool.length) + this.pool.length) % this.pool.length);
      if (i >= to) {
        row.hidden = true;
        row.seq = 0;
        continue;
      }
      fill(row, this.at(i), i, total, this.selected);
    }
    const chosen = this.selected ? this.indexOf(this.selected) : -1;
    if (chosen >= from && chosen < to) this.scroll.setAttribute("aria-activedescendant", `event-${this.selected.seq}`);
    else this.scroll.removeAttribute("aria-activedescendant");
  }
}

function makeRow() {
  const row = el("div.row", { role: "option" },
    el("time"), el("span.cell", null, el("span.badge")), el("span.mark"), el("span.what"), el("code.type"), el("span.agent"),
    // No button: an option holds no controls. The key T does the same.
    el("span.trace", { title: "show this trace only" }, el("i"), el("code")));
  row.parts = [...row.children];
  return row;
}

function fill(row, rec, i, total, selected) {
  row.hidden = false;
  row.style.transform = `translateY(${i * ROW}px)`;
  row.setAttribute("aria-posinset", i + 1);
  row.setAttribute("aria-setsize", total);
  row.setAttribute("aria-selected", rec === selected);
  row.classList.toggle("sibling", Boolean(selected) && rec !== selected && rec.ev.traceId !== "" && rec.ev.traceId === selected.ev.traceId);
  if (row.seq === rec.seq) return;
  row.seq = rec.seq;
  row.id = `event-${rec.seq}`;
  row.dataset.mode = rec.mode;
  row.dataset.outcome = rec.outcome;
  row.classList.toggle("spends", isMoney(rec));
  const [time, mode, mark, what, type, agent, trace] = row.parts;
  time.textContent = clock(rec.t);
  time.title = rec.ev.ts ?? "";
  mode.replaceChildren(badge(rec));
  mark.replaceChildren(icon(rec.outcome, outcomeWord[rec.outcome]));
  what.replaceChildren(...parts(rec.parts));
  what.title = what.textContent;
  type.textContent = rec.ev.eventType;
  agent.textContent = rec.ev.agentId;
  agent.title = rec.ev.agentId;
  trace.hidden = !rec.ev.traceId;
  trace.style.setProperty("--hue", hue(rec.ev.traceId));
  trace.lastChild.textContent = shortTrace(rec.ev.traceId);
}

/** Says the world in words, and in the sandbox whether it was a dry run there. */
export function badge(rec) {
  const dry = rec.mode === "sandbox" && rec.ev.dryRun !== false;
  return el(`span.badge.${rec.mode}${isMoney(rec) ? ".spends" : ""}`, { title: dry ? "a dry run in the sandbox" : modeWord[rec.mode] },
    modeWord[rec.mode], dry ? el("em", null, "dry") : "");
}
