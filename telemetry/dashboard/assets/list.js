// The list draws only the rows in sight, from a small pool of elements, once a
// frame however many events came.
import { isMoney, modeWord, outcomeWord } from "./describe.js";
import { $, el, icon, parts } from "./dom.js";
import { clip, clock, fullTime, hue, number, shortTrace, visible } from "./format.js";
import { place } from "./store.js";

const ROW = 34, TALL = 56; // px: one line, or two where the page is narrow
const OVER = 8; // rows drawn beyond each edge
const NEWEST = 4; // px from the top that still count as there

export class List {
  constructor({ onSelect, onTrace }) {
    this.scroll = $("events");
    this.body = $("rows");
    this.newer = $("newer");
    const narrow = matchMedia("(max-width: 600px)");
    const size = () => (this.row = narrow.matches ? TALL : ROW);
    size();
    narrow.addEventListener("change", () => {
      const at = this.where();
      size();
      this.body.style.height = `${this.view.length * this.row}px`;
      this.go(at);
      this.draw();
    });
    this.view = []; // records, newest last; shown the other way round
    this.pool = [];
    this.selected = null;
    this.unseen = 0;
    this.onSelect = onSelect;
    this.scroll.addEventListener("scroll", () => this.draw(), { passive: true }); // which comes once a frame
    new ResizeObserver(() => this.draw()).observe(this.scroll);
    this.body.addEventListener("click", (e) => {
      const row = e.target.closest(".row");
      if (!row) return;
      const rec = this.view[place(this.view, row.seq)];
      if (!rec || rec.seq !== row.seq) return;
      if (rec.note) return;
      this.select(rec);
      if (e.target.closest(".trace")) onTrace(rec);
    });
    // Titles are made for what is pointed at: rows are filled by the hundred.
    this.body.addEventListener("mouseover", (e) => {
      const row = e.target.closest(".row"), rec = row && this.view[place(this.view, row.seq)];
      if (!rec || rec.seq !== row.seq) return;
      const [time, , , what, type, agent] = row.parts;
      time.title = fullTime(rec.t, rec.note ? undefined : rec.ev.ts);
      for (const cell of [what, type, agent]) cell.title = cell.textContent;
    });
    this.newer.addEventListener("click", () => this.top());
  }

  /** Replaces everything, as after a change of filter. */
  set(view) {
    this.view = view;
    this.unseen = 0;
    this.body.style.height = `${view.length * this.row}px`;
    this.scroll.scrollTop = 0;
    this.draw();
  }

  /** Whether the newest is in sight: then what comes moves the rows. */
  get following() {
    return this.scroll.scrollTop <= NEWEST;
  }

  /** Adds new records at the top; what is being read stays in place. */
  grow(count) {
    const reading = !this.following;
    this.body.style.height = `${this.view.length * this.row}px`;
    if (reading && count) {
      this.unseen += count;
      this.scroll.scrollTop += count * this.row;
    }
    this.draw();
  }

  /** Takes the records below a number out: those are the last rows. */
  bite(seq) {
    const from = place(this.view, 0); // fetched steps, with numbers below 0, stay
    this.view.splice(from, place(this.view, seq) - from);
    if (this.selected && this.selected.seq > 0 && this.selected.seq < seq) this.selected = null;
  }

  /** Where the reader is: the first row in sight, and how much of it is above. */
  where() {
    const { scrollTop } = this.scroll;
    return { seq: this.following ? 0 : (this.at(Math.floor(scrollTop / this.row))?.seq ?? 0), above: scrollTop % this.row };
  }

  /** Goes back there, as far as that row is still held. */
  go({ seq, above }) {
    if (!seq || !this.view.length) return;
    const i = this.view.length - 1 - Math.min(this.view.length - 1, place(this.view, seq));
    this.scroll.scrollTop = i * this.row + above;
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
    const i = rec ? place(this.view, rec.seq) : this.view.length;
    return this.view[i] === rec ? this.view.length - 1 - i : -1;
  }

  /** Moves the selection; by Infinity to an end. */
  move(by) {
    if (!this.view.length) return;
    const now = this.indexOf(this.selected);
    const last = this.view.length - 1;
    let next = now < 0 ? (by < 0 && by !== -Infinity ? last : by === Infinity ? last : 0) : now + by;
    next = Math.max(0, Math.min(last, next));
    // A note has no details: go past it, or stay.
    while (this.at(next)?.note) next += by < 0 && by !== -Infinity ? -1 : by === Infinity ? -1 : 1;
    if (this.at(next)) this.select(this.at(next));
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
    const top = i * this.row, view = this.scroll;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + this.row > view.scrollTop + view.clientHeight) view.scrollTop = top + this.row - view.clientHeight;
  }

  draw() {
    const { scrollTop, clientHeight } = this.scroll;
    const total = this.view.length;
    if (this.following) this.unseen = 0;
    const pill = this.following ? "" : this.unseen ? `${number(this.unseen)} newer` : "Back to the newest";
    if (pill !== this.pill) {
      this.pill = pill;
      this.newer.hidden = !pill;
      this.newer.classList.toggle("quiet", !this.unseen);
      this.newer.replaceChildren(icon("up"), pill, el("kbd", null, "F"));
    }
    const from = Math.max(0, Math.floor(scrollTop / this.row) - OVER);
    const to = Math.min(total, Math.ceil((scrollTop + clientHeight) / this.row) + OVER);
    const n = Math.max(0, to - from);
    while (this.pool.length < n) {
      const row = makeRow();
      this.pool.push(row);
      this.body.append(row);
    }
    // An element stays with its record while others come: only what is new is written.
    const size = this.pool.length, low = total - to, high = total - from;
    for (let k = 0; k < size; k++) {
      const row = this.pool[k];
      const p = low + ((((k - low) % size) + size) % size);
      if (p >= high) {
        row.hidden = true;
        row.seq = 0;
        continue;
      }
      fill(row, this.view[p], total - 1 - p, total, this.selected, this.row);
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
    el("span.trace", { title: "show all of this trace (T)" }, el("i"), el("code")));
  row.parts = [...row.children];
  return row;
}

function fill(row, rec, i, total, selected, height) {
  row.hidden = false;
  row.style.transform = `translateY(${i * height}px)`;
  row.setAttribute("aria-posinset", i + 1);
  row.setAttribute("aria-setsize", total);
  row.setAttribute("aria-selected", rec === selected);
  row.classList.toggle("sibling", Boolean(selected) && rec !== selected && rec.ev.traceId !== "" && rec.ev.traceId === selected.ev.traceId);
  if (row.seq === rec.seq) return;
  row.seq = rec.seq;
  row.id = `event-${rec.seq}`;
  row.dataset.mode = rec.mode;
  row.dataset.outcome = rec.outcome;
  row.classList.toggle("note", rec.note);
  row.classList.toggle("spends", isMoney(rec));
  const [time, mode, mark, what, type, agent, trace] = row.parts;
  time.textContent = clock(rec.t);
  // Most rows have the badge and the mark of the one before: those stay.
  const look = rec.note ? "note" : `${rec.mode} ${rec.outcome} ${isMoney(rec)} ${rec.ev.dryRun !== false}`;
  if (row.look !== look) {
    row.look = look;
    mode.replaceChildren(rec.note ? "" : badge(rec));
    mark.replaceChildren(rec.note ? "" : icon(rec.outcome, outcomeWord[rec.outcome]));
  }
  what.replaceChildren(...parts(rec.parts));
  type.textContent = name(rec.ev.eventType);
  agent.textContent = name(rec.ev.agentId);
  trace.hidden = !rec.ev.traceId;
  trace.style.setProperty("--hue", hue(rec.ev.traceId.slice(0, 200)));
  trace.lastChild.textContent = name(shortTrace(rec.ev.traceId));
}

const name = (text) => visible(clip(text, 120));

/** Says the world in words, and in the sandbox whether it was a dry run there. */
export function badge(rec) {
  const dry = rec.mode === "sandbox" && rec.ev.dryRun !== false;
  return el(`span.badge.${rec.mode}${isMoney(rec) ? ".spends" : ""}`, { title: dry ? "a dry run in the sandbox" : modeWord[rec.mode] },
    modeWord[rec.mode], dry ? el("em", null, "dry") : "");
}
