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

const numbers = new Map(); // field name -> its pattern

/** The digits of a JSON number as they stand in the raw line: parsing would round them. */
export function rawNumber(raw, name) {
  if (!numbers.has(name)) numbers.set(name, new RegExp(`"${name}"\\s*:\\s*(\\d+(?:\\.\\d+)?)(?=\\s*[,}\\]])`));
  return numbers.get(name).exec(raw)?.[1] ?? "";
}

// Characters that have no look of their own, or change how their neighbours are
// laid out: controls, directions, zero widths, lone surrogates, and marks piled
// higher than any script does. The joiner that makes one emoji of several stays.
const unseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?<![\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}])\u200d|(?<=\p{M}{8})\p{M}|\p{Surrogate}/gu;
const plainText = /^[\x20-\x7e]*$/;
const named = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const written = (c) => named[c] ?? [...Array(c.length).keys()].map((i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");

/** Text with everything in it to be seen: what has no look is written as JSON would escape it. */
export function visible(text) {
  return plainText.test(text) ? text : text.replace(unseen, written);
}

// A word of Latin letters and of letters that pass for Latin ones.
const latin = /\p{Script=Latin}/u, alike = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\uff21-\uff5a]/u;
const mixed = (word) => alike.test(word) && latin.test(word.replace(/[\uff21-\uff5a]/g, ""));

/** The same in pieces, [kind, text] each: "unseen" was written out, "mixed" is a word of two alphabets, "" is the rest. */
export function pieces(text) {
  if (plainText.test(text)) return text ? [["", text]] : [];
  const out = [];
  const plain = (s) => {
    for (const part of s.split(/([\p{L}\p{M}\p{N}]+)/u)) if (part) out.push([mixed(part) ? "mixed" : "", part]);
  };
  let from = 0;
  for (const m of text.matchAll(unseen)) {
    plain(text.slice(from, m.index));
    out.push(["unseen", written(m[0])]);
    from = m.index + m[0].length;
  }
  plain(text.slice(from));
  return out;
}

/** The start of a text that may be very long. */
export const clip = (text, most = 300) => (text.length > most ? `${text.slice(0, most).toWellFormed?.() ?? text.slice(0, most)}…` : text);

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

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const AGES = 300 * 86_400_000; // from then on a day without its year could be another one

/** Local clock time with milliseconds; the day instead of those when it is not today; long ago, or far ahead, the year. */
export function clock(ms, now = Date.now()) {
  const d = new Date(ms);
  if (Number.isNaN(d.getTime())) return "no time";
  const time = `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}`;
  const today = new Date(now);
  if (today.getDate() === d.getDate() && Math.abs(now - ms) < 86_400_000) return `${time}.${pad(d.getMilliseconds(), 3)}`;
  const day = `${d.getDate()} ${months[d.getMonth()]}`;
  return Math.abs(now - ms) < AGES ? `${day} ${time}` : `${day} ${d.getFullYear()}`;
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

let inFull; // made on first use: that is slow

/** A time in full, as it is hovered over: the reader's own clock, and what the event says. */
export function fullTime(ms, said) {
  const d = new Date(ms);
  if (Number.isNaN(d.getTime())) return `no time: ${clip(String(said ?? ""), 60)}`;
  inFull ??= new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, timeZoneName: "short" });
  const local = inFull.format(d);
  return `${local}\n${clip(String(said ?? d.toISOString()), 60)}`;
}

/** 1536 -> "1.5 KiB" */
export function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (n >= 1024 && i < units.length - 1) (n /= 1024), i++;
  return `${i && n < 100 ? n.toFixed(1) : Math.round(n)} ${units[i]}`;
}

/** 0.4, 7.5, 120, 12,300 */
export const rate = (n) => (n === 0 ? "0" : n < 10 ? n.toFixed(1) : group.format(Math.round(n)));

/** A hue that stays the same for the same text, to tell traces apart. */
export function hue(text) {
  let h = 2166136261;
  for (const c of String(text)) h = Math.imul(h ^ c.codePointAt(0), 16777619);
  return (h >>> 0) % 360;
}

const DEEPEST = 32; // levels that are set in: of thousands, the blanks alone would be megabytes

/**
 * Splits JSON text into [kind, text] tokens, laid out with two spaces, every
 * token's own characters untouched: numbers keep all their digits.
 */
export function pretty(raw) {
  const out = [];
  const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;
  let depth = 0;
  const line = () => out.push(["space", "\n" + "  ".repeat(Math.min(depth, DEEPEST))]);
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

/** The members of a JSON object's text: name -> the value's own text. Of equal names the last counts. */
export function members(raw) {
  const out = new Map();
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
  let depth = 0, name = "", from = -1, end = 0;
  const close = () => {
    if (from >= 0) out.set(name, raw.slice(from, end));
    from = -1;
  };
  for (let m = token.exec(raw); m; m = token.exec(raw)) {
    const [t] = m;
    if (t === "}" || t === "]") depth--;
    if (depth === 0 && t === "}") close();
    else if (depth === 1 && t === ",") close(), (name = "");
    else if (depth === 1 && t === ":" && from < 0 && name) from = Infinity; // the value begins with the next token
    else if (depth === 1 && from < 0 && t[0] === '"') name = JSON.parse(t);
    else if (from === Infinity) from = m.index;
    end = m.index + t.length;
    if (t === "{" || t === "[") depth++;
  }
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
