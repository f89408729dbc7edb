// Filters are plain data, so that they fit the address bar: a link shows what
// its sender saw, and the browser's back button goes back.
import { modeWord } from "./describe.js";

const texts = ["text", "type", "agent", "trace"];

export const noFilter = () => ({ text: "", type: "", agent: "", trace: "", modes: new Set(), outcomes: new Set() });

export function isFiltered(f) {
  return Boolean(f.text || f.type || f.agent || f.trace || f.modes.size || f.outcomes.size);
}

/** A filter as a function of a record, made once for many. Notes always pass. */
export function compile(f) {
  const want = f.text ? new RegExp(f.text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"), "i") : null;
  return (rec) => {
    if (rec.note) return true;
    const { ev } = rec;
    if (f.modes.size && !f.modes.has(rec.mode)) return false;
    if (f.outcomes.size && !f.outcomes.has(rec.outcome)) return false;
    if (f.type && !typeMatches(ev.eventType, f.type)) return false;
    if (f.agent && ev.agentId !== f.agent) return false;
    if (f.trace && !ev.traceId.includes(f.trace)) return false;
    return !want || want.test(rec.say) || want.test(rec.raw);
  };
}

/** "nft.*" takes every type below nft. */
function typeMatches(type, want) {
  return want.endsWith(".*") ? type.startsWith(want.slice(0, -1)) : type === want;
}

export function readAddress() {
  const q = new URLSearchParams(location.hash.slice(1));
  const f = noFilter();
  for (const key of texts) f[key] = q.get(key) ?? "";
  for (const m of q.getAll("mode")) if (Object.hasOwn(modeWord, m)) f.modes.add(m);
  for (const o of q.getAll("outcome")) if (o === "refused" || o === "failed") f.outcomes.add(o);
  return f;
}

/** The address of the page with this filter. */
export function address(f) {
  const q = new URLSearchParams();
  for (const key of texts) if (f[key]) q.set(key, f[key]);
  for (const m of f.modes) q.append("mode", m);
  for (const o of f.outcomes) q.append("outcome", o);
  return q.size ? `#${q}` : location.pathname + location.search;
}
