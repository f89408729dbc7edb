// Text for people, made from exact values. Amounts never pass through a float:
// they come from base units (BigInt) or from the digits in the event itself.

const group = new Intl.NumberFormat("en-US");

/** 12500000000000000000 base units, 18 decimals -> "12.5". */
export function fromBase(base, decimals = 18) {
  if (typeof base !== "string" || !/^\d{1,78}$/.test(base)) return "";
  const digits = base.replace(/^0+(?=\d)/, "").padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const part = decimals > 0 ? digits.slice(-decimals).replace(/0+$/, "") : "";
  return group.format(BigInt(whole)) + (part ? "." + part : "");
}

/** The digits of a JSON number as they stand in the raw line: parsing would round them. */
export function rawNumber(raw, name) {
  const m = new RegExp(`"${name}"\\s*:\\s*(\\d+(?:\\.\\d+)?)(?=\\s*[,}\\]])`).exec(raw);
  return m ? m[1] : "";
}

/** "0x1234567890…" -> "0x1234…cdef" */
export function short(hash) {
  const s = String(hash ?? "");
  return s.length > 14 ? s.slice(0, 6) + "…" + s.slice(-4) : s;
}

/** A trace id without what all of them have in common. */
export function shortTrace(id) {
  const s = String(id ?? "").replace(/^trace[_-]?/, "");
  return s.length > 8 ? s.slice(-8) : s || "none";
}

/** "demo-apes" -> "Demo Apes"; anything that is no slug stays as it is. */
export function title(name) {
  const s = String(name ?? "");
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(s)) return s;
  return s.split("-").map((w) => w[0].toUpperCase() + w.slice(1)).join(" ");
}

export function number(n) {
  return typeof n === "number" && Number.isFinite(n) ? group.format(n) : String(n ?? "");
}

export function plural(n, one, many = one + "s") {
  return `${number(n)} ${n === 1 ? one : many}`;
}

const pad = (n, w = 2) => String(n).padStart(w, "0");

/** Local clock time with milliseconds; the day too when it is not today. */
export function clock(ms, now = Date.now()) {
  const d = new Date(ms);
  if (Number.isNaN(d.getTime())) return "no time";
  const time = `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}`;
  if (new Date(now).toDateString() === d.toDateString()) return `${time}.${pad(d.getMilliseconds(), 3)}`;
  return `${d.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${time}`;
}

/** A span of time, short: 12 ms, 1.24 s, 3 min 20 s, 2 h 5 min. */
export function span(ms) {
  if (!Number.isFinite(ms)) return "";
  const abs = Math.abs(ms);
  if (abs < 1000) return `${Math.round(abs)} ms`;
  if (abs < 60_000) return `${(abs / 1000).toFixed(abs < 10_000 ? 2 : 1)} s`;
  const s = Math.round(abs / 1000);
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  const m = Math.round(s / 60);
  if (m < 48 * 60) return `${Math.floor(m / 60)} h ${m % 60} min`;
  return `${Math.floor(m / 1440)} days`;
}

/** A hue that stays the same for the same text, to tell traces apart. */
export function hue(text) {
  let h = 2166136261;
  for (const c of String(text)) h = Math.imul(h ^ c.codePointAt(0), 16777619);
  return (h >>> 0) % 360;
}

/**
 * Splits JSON text into [kind, text] tokens, laid out with two spaces, every
 * token's own characters untouched: numbers keep all their digits.
 */
export function pretty(raw) {
  const out = [];
  const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;
  let depth = 0;
  const line = () => out.push(["space", "\n" + "  ".repeat(depth)]);
  const tokens = raw.match(token) ?? [];
  tokens.forEach((t, i) => {
    const next = tokens[i + 1];
    if (t === "{" || t === "[") {
      out.push(["mark", t]);
      depth++;
      if (next !== "}" && next !== "]") line();
    } else if (t === "}" || t === "]") {
      depth--;
      const before = tokens[i - 1];
      if (before !== "{" && before !== "[") line();
      out.push(["mark", t]);
    } else if (t === ",") {
      out.push(["mark", t]);
      line();
    } else if (t === ":") {
      out.push(["mark", ": "]);
    } else if (t[0] === '"') {
      out.push([next === ":" ? "key" : "string", t]);
    } else {
      out.push([t === "true" || t === "false" || t === "null" ? "word" : "number", t]);
    }
  });
  return out;
}

/** The elements of the array "events" in a backlog answer, each as its own text. */
export function splitEvents(text) {
  const start = text.indexOf("[");
  const out = [];
  let depth = 0, from = -1, quoted = false;
  for (let i = start + 1; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === "\\") i++;
      else if (c === '"') quoted = false;
    } else if (c === '"') {
      quoted = true;
    } else if (c === "{" || c === "[") {
      if (depth++ === 0) from = i;
    } else if (c === "}" || c === "]") {
      if (depth === 0) break;
      if (--depth === 0) out.push(text.slice(from, i + 1));
    }
  }
  return out;
}
