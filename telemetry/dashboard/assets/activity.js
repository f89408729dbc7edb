// Events over the last half hour as bars, one for each ten seconds.
import { $, blank } from "./dom.js";

const STEP = 10_000;
const BARS = 180;
const EVERY = 500; // ms between two drawings
const kinds = ["real", "sandbox", "dry", "refused", "failed"];

export class Activity {
  constructor() {
    this.canvas = $("activity");
    this.bars = new Map(); // step number -> counts
    const redraw = () => this.draw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    new ResizeObserver(redraw).observe(this.canvas);
    setInterval(() => document.hidden || redraw(), 2000);
  }

  clear() {
    this.bars.clear();
  }

  add(rec) {
    if (!Number.isFinite(rec.t)) return;
    const k = Math.floor(rec.t / STEP);
    const bar = this.bars.get(k) ?? { real: 0, sandbox: 0, dry: 0, refused: 0, failed: 0 };
    bar[rec.outcome === "refused" || rec.outcome === "failed" ? rec.outcome : rec.mode]++;
    this.bars.set(k, bar);
  }

  /** Draws soon what was added. */
  changed() {
    this.later ||= setTimeout(() => ((this.later = 0), this.draw()), EVERY);
  }

  draw() {
    const plane = blank(this.canvas);
    if (!plane) return;
    const { c, w, h, css } = plane;
    const colours = Object.fromEntries(["line", ...kinds].map((k) => [k, css.getPropertyValue(k === "real" ? "--real-fill" : `--${k}`).trim()]));
    const last = Math.floor(Date.now() / STEP);
    for (const k of this.bars.keys()) if (k < last - 2 * BARS || k > last + BARS) this.bars.delete(k);
    let most = 4;
    for (let i = 0; i < BARS; i++) most = Math.max(most, total(this.bars.get(last - i)));
    const width = w / BARS;
    for (let i = 0; i < BARS; i++) {
      const x = w - (i + 1) * width;
      const bar = this.bars.get(last - i);
      c.fillStyle = colours.line;
      c.fillRect(x, h - 1, Math.max(1, width - 1), 1);
      if (!bar) continue;
      // The square root keeps a single event visible beside a burst.
      const full = Math.max(3, Math.sqrt(total(bar) / most) * (h - 2));
      let y = h;
      for (const kind of kinds) {
        if (!bar[kind]) continue;
        const part = (full * bar[kind]) / total(bar);
        y -= part;
        c.fillStyle = colours[kind];
        c.fillRect(x, y, Math.max(1.5, width - 1), part);
      }
    }
  }
}

const total = (bar) => (bar ? bar.real + bar.sandbox + bar.dry + bar.refused + bar.failed : 0);
