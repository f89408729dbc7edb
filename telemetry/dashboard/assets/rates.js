// How many events come, by the second, and how late they are.

/** Counts by the second over the last `span` seconds: all, those that pass the filter, characters. */
export class Rates {
  constructor(span = 300) {
    this.span = span;
    this.clear();
  }

  clear() {
    this.all = new Uint32Array(this.span);
    this.passed = new Uint32Array(this.span);
    this.chars = new Float64Array(this.span);
    this.newest = 0; // the second that was counted last
    this.first = 0;
  }

  /** Makes room up to a second, and says where it is counted; -1 when it is too long ago. */
  slot(sec) {
    if (!this.newest) this.newest = this.first = sec;
    if (sec <= this.newest - this.span) return -1;
    if (sec - this.newest >= this.span) {
      this.all.fill(0);
      this.passed.fill(0);
      this.chars.fill(0);
      this.newest = sec;
    }
    while (this.newest < sec) {
      const i = ++this.newest % this.span;
      this.all[i] = this.passed[i] = this.chars[i] = 0;
    }
    return sec % this.span;
  }

  add(at, chars) {
    const i = this.slot(Math.floor(at / 1000));
    if (i < 0) return;
    this.all[i]++;
    this.chars[i] += chars;
  }

  pass(at) {
    const i = this.slot(Math.floor(at / 1000));
    if (i >= 0) this.passed[i]++;
  }

  clearPassed() {
    this.passed.fill(0);
  }

  /** The mean of the last five whole seconds. */
  now(at) {
    const last = Math.floor(at / 1000) - 1;
    this.slot(last + 1);
    const n = 5;
    const mean = (counts) => {
      let s = 0;
      for (let k = last; k > last - n; k--) s += counts[((k % this.span) + this.span) % this.span];
      return s / n;
    };
    return { all: mean(this.all), passed: mean(this.passed), chars: mean(this.chars) };
  }

  /** The counts of a kind over the span, oldest first, without the second that is not over. */
  series(counts, at) {
    const last = Math.floor(at / 1000) - 1;
    this.slot(last + 1);
    return Array.from({ length: this.span - 1 }, (_, k) => counts[(last - this.span + 2 + k) % this.span]);
  }
}

const ABSURD = 10 * 60_000; // later than that is no delay: the clocks differ
const NOISE = 50; // ms that clocks in step may differ by

/** How long after their own time events came, over the last half minute. */
export class Lag {
  constructor(most = 512, span = 30_000) {
    this.most = most;
    this.span = span;
    this.clear();
  }

  clear() {
    this.samples = []; // [when it came, how late]
  }

  add(at, t) {
    if (!Number.isFinite(t)) return;
    this.samples.push([at, at - t]);
    if (this.samples.length > 2 * this.most) this.samples.splice(0, this.most);
  }

  /**
   * {n, p50, p95, differs}: offset is what the server's clock is ahead of this
   * one. differs is what the clocks seem to differ by, when no lag can be told.
   */
  now(at, offset = 0) {
    const late = this.samples.slice(-this.most).filter(([came]) => came > at - this.span).map(([, ms]) => ms + offset).sort((a, b) => a - b);
    if (!late.length) return { n: 0 };
    const pick = (q) => late[Math.min(late.length - 1, Math.floor(q * late.length))];
    const p50 = pick(0.5), p95 = pick(0.95);
    const differs = p50 < -NOISE || p50 > ABSURD ? p50 : Math.abs(offset) > 2000 ? -offset : 0;
    return { n: late.length, p50: Math.max(0, p50), p95: Math.max(0, p95), differs, told: p50 >= -NOISE && p50 <= ABSURD };
  }
}
