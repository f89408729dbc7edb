// How fast events come, how late, and how far the page is behind the log.
import { $, blank } from "./dom.js";
import { behind } from "./feed.js";
import { bytes, plural, rate, span } from "./format.js";
import { Lag, Rates } from "./rates.js";

export class Meters {
  constructor() {
    this.rates = new Rates();
    this.lag = new Lag();
    this.health = null;
    this.lastAt = 0;
    this.canvas = $("spark");
    const redraw = () => this.draw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    new ResizeObserver(redraw).observe(this.canvas);
    setInterval(redraw, 1000);
  }

  clear() {
    this.rates.clear();
    this.lag.clear();
  }

  /** An event came, whether it is drawn yet or not. */
  came(at, chars) {
    this.lastAt = at;
    this.rates.add(at, chars);
  }

  /** It was read, and passed the filter or not. */
  read(rec, passed) {
    this.lag.add(rec.at, rec.t);
    if (passed) this.rates.pass(rec.at);
  }

  /** The filter changed: what passes is counted again. */
  recount(view) {
    this.rates.clearPassed();
    const since = Date.now() - this.rates.span * 1000;
    for (let i = view.length - 1; i >= 0 && (view[i].at >= since || !view[i].live); i--) if (view[i].live) this.rates.pass(view[i].at);
  }

  /** filtered: whether what is shown is less than what comes. */
  draw(filtered = this.filtered) {
    this.filtered = filtered;
    const now = Date.now(), r = this.rates.now(now);
    text("rate-now", rate(r.all));
    text("rate-more", filtered ? `${rate(r.passed)} pass the filters` : r.chars ? `${bytes(r.chars)}/s` : "events a second");
    $("rate").title = `events a second, the mean of the last five: ${r.all.toFixed(1)}${filtered ? `, of which ${r.passed.toFixed(1)} pass the filters` : ""}, ${bytes(r.chars)}/s`;
    this.late(now);
    this.spark(now);
  }

  late(now) {
    const offset = this.health?.offset ?? 0;
    const l = this.lag.now(now, offset);
    const far = this.health?.end ? behind(this.health.lastId, this.health.end) : undefined;
    const place = far === undefined ? "" : far > 0 ? `${bytes(far)} behind` : "up to date";
    const node = $("lag");
    if (l.n && !l.told) {
      text("lag-now", "clock differs");
      text("lag-more", `by ${span(Math.abs(l.differs))}`);
    } else {
      text("lag-now", l.n ? span(l.p50) : "–");
      text("lag-more", l.differs ? `clock differs by ${span(Math.abs(l.differs))}` : [l.n ? `p95 ${span(l.p95)}` : "", place].filter(Boolean).join(" · ") || "no live event yet");
    }
    node.classList.toggle("words", Boolean(l.n && !l.told));
    node.classList.toggle("behind", far > 1 << 20);
    const heard = this.health?.heard ? Math.max(0, now - Math.max(this.health.heard, this.lastAt)) : undefined;
    node.title = [
      l.n ? `from an event's own time until it came: ${plural(l.n, "event")} of the last 30 s` : "no event came in the last 30 s",
      offset ? `the server's clock is ${span(Math.abs(offset))} ${offset > 0 ? "ahead of" : "behind"} this one; the lag is corrected by it` : "",
      place ? `${place} when last asked` : "",
      heard === undefined ? "" : `the stream was heard ${span(heard)} ago${this.health.beats ? ", with heartbeats" : ""}`,
    ].filter(Boolean).join("\n");
  }

  spark(now) {
    const plane = blank(this.canvas);
    if (!plane) return;
    const { c, w, h, css } = plane;
    const colour = (name) => css.getPropertyValue(`--${name}`).trim();
    const all = this.rates.series(this.rates.all, now);
    const passed = this.filtered ? this.rates.series(this.rates.passed, now) : null;
    const most = Math.max(2, ...all);
    c.fillStyle = colour("line");
    c.fillRect(0, h - 1, w, 1);
    this.area(c, all, most, w, h, colour(passed ? "edge" : "accent"));
    if (passed) this.area(c, passed, most, w, h, colour("accent"));
  }

  area(c, counts, most, w, h, colour) {
    const x = (i) => (i / (counts.length - 1)) * w, y = (n) => h - 1 - (n / most) * (h - 3);
    c.beginPath();
    c.moveTo(0, h - 1);
    counts.forEach((n, i) => c.lineTo(x(i), y(n)));
    c.lineTo(w, h - 1);
    c.closePath();
    c.globalAlpha = 0.22;
    c.fillStyle = colour;
    c.fill();
    c.globalAlpha = 1;
    c.beginPath();
    let pen = false; // the line is drawn where there was something
    counts.forEach((n, i) => {
      const on = n > 0 || counts[i - 1] > 0 || counts[i + 1] > 0;
      if (on && pen) c.lineTo(x(i), y(n));
      else if (on) c.moveTo(x(i), y(n));
      pen = on;
    });
    c.strokeStyle = colour;
    c.lineWidth = 1.25;
    c.lineJoin = "round";
    c.stroke();
  }
}

function text(id, value) {
  const node = $(id);
  if (node.textContent !== value) node.textContent = value;
}
