// Events over the last half hour as bars, one for each ten seconds.
import { $ } from "./dom.js";

const STEP = 10_000;
const BARS = 180;

export class Activity {
  constructor() {
    this.canvas = $("activity");
    this.bars = new Map(); // step number -> counts
    this.recent = []; // arrival times, for the rate
    const redraw = () => this.draw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    new ResizeObserver(redraw).observe(this.canvas);
    setInterval(redraw, 2000);
  }

  clear() {
    this.bars.clear();
  }

  add(rec, live) {
    if (live) this.recent.push(performance.now());
    if (!Number.isFinite(rec.t)) return;
    const k = Math.floor(rec.t / STEP);
    const bar = this.bars.get(k) ?? { real: 0, sandbox: 0, dry: 0, refused: 0, failed: 0 };
    bar[rec.outcome === "refused" || rec.outcome === "failed" ? rec.outcome : rec.mode]++;
    this.bars.set(k, bar);
  }

  /** Events a second over the last five. */
  rate() {
    const since = performance.now() - 5000;
    const i = this.recent.findIndex((t) => t >= since);
    this.recent = i < 0 ? [] : this.recent.slice(i);
    return this.recent.length / 5;
  }

  draw() {
    const { canvas } = this;
    const w = canvas.clientWidth, h = canvas.clientHeight, scale = devicePixelRatio || 1;
    if (!w || !h) return;
    canvas.width = w * scale;
    canvas.height = h * scale;
    const c = canvas.getContext("2d");
    c.scale(scale, scale);
    const css = getComputedStyle(document.documentElement);
    const colour = (name) => css.getPropertyValue(`--${name}`).trim();
    const last = Math.floor(Date.now() / STEP);
    for (const k of this.bars.keys()) if (k < last - 2 * BARS) this.bars.delete(k);
    let most = 4;
    for (let i = 0; i < BARS; i++) most = Math.max(most, total(this.bars.get(last - i)));
    const width = w / BARS;
    for (let i = 0; i < BARS; i++) {
      const x = w - (i + 1) * width;
      const bar = this.bars.get(last - i);
      c.fillStyle = colour("line");
      c.fillRect(x, h - 1, Math.max(1, width - 1), 1);
      if (!bar) continue;
      // The square root keeps a single event visible beside a burst.
      const full = Math.max(3, Math.sqrt(total(bar) / most) * (h - 2));
      let y = h;
      for (const kind of ["real", "sandbox", "dry", "refused", "failed"]) {
        if (!bar[kind]) continue;
        const part = (full * bar[kind]) / total(bar);
        y -= part;
        c.fillStyle = colour(kind === "real" ? "real-fill" : kind);
        c.fillRect(x, y, Math.max(1.5, width - 1), part);
      }
    }
  }
}

const total = (bar) => (bar ? bar.real + bar.sandbox + bar.dry + bar.refused + bar.failed : 0);
