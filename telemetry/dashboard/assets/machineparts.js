// The parts of the view of machines. Names of agents, errors of receivers and what is in
// a dead letter are strangers' texts: bounded here, and text on the page.
import { ago, list } from "./card.js";
import { badge, tidy } from "./chainparts.js";
import { el, marked } from "./dom.js";
import { bytes, number, plural, visible } from "./format.js";

const MOST = 200; // rows of a part
const text = (v) => (typeof v === "string" ? v : "");
const whole = (v) => (Number.isSafeInteger(v) && v >= 0 ? v : 0);

/** A time, with how long ago; "" where there is none. */
const when = (ts, now, never = "") => (text(ts) ? el("time", { title: text(ts).slice(0, 60) }, ago(text(ts), now) || marked(text(ts), 40)) : never);

/** What the first line says: what asks for something comes first. */
export function headline(bots, out) {
  if (out?.configured === true) {
    const waiting = whole(out.pending?.events) ? `${plural(whole(out.pending.events), "event")} to send` : "all events sent";
    if (whole(out.dead)) return `${plural(whole(out.dead), "event")} refused by the receiver`;
    if (text(out.missing)) return `Nothing is forwarded: ${text(out.missing).slice(0, 200)}`;
    return out.breaker?.open === true ? `The receiver does not take events: ${waiting}` : `Forwarding: ${waiting}`;
  }
  if (!bots) return "Machines";
  const open = list(bots.clawbots).filter((a) => a?.enabled === true).length;
  return open ? `${plural(open, "agent")} may report here` : "No agent may report here yet";
}

export function agents(bots, { now, seen, onAgent }) {
  const all = list(bots.clawbots);
  if (!all.length) return el("p.nothing-yet", null, "Other machines report here as agents of yours. Let one in: ", el("code", null, "ape-claw clawbot invite"), " or ", el("code", null, "ape-claw clawbot register --agent-id <id>"));
  // Who is at work comes first, then by name.
  const sorted = [...all].sort((a, b) => last(seen, b).localeCompare(last(seen, a)) || (text(a?.agentId) < text(b?.agentId) ? -1 : 1));
  return [
    el("ul.lines", null, sorted.slice(0, MOST).map((a) => {
      const id = text(a?.agentId), held = seen.get(id);
      return el("li.agent", null,
        el("button.trace-link", { type: "button", "data-key": `agent ${id}`, title: "the events of this agent", onclick: () => onAgent(id) }, el("code", null, marked(id, 64))),
        badge(a?.enabled === true ? ["ok", "ok", "May report"] : ["refused", "refused", "Revoked"]),
        text(a?.name) && a.name !== id ? el("span.name", null, marked(text(a.name), 120)) : null,
        el("small", null, held ? ["last event ", when(held.ts, now, "without a time"), ": ", ...marked(held.type, 80), ` · ${number(held.count)} on this page`] : "no event on this page", text(a?.createdAt) ? [" · registered ", when(a.createdAt, now)] : ""));
    })),
    all.length > MOST ? el("p.fine", null, `The first ${MOST} are shown.`) : null,
  ];
}

const last = (seen, a) => text(seen.get(text(a?.agentId))?.ts);

/** How forwarding stands, as [kind, sign, word]. */
function standing(out) {
  if (text(out.missing)) return ["warn", "warn", "Waits for settings"];
  if (out.breaker?.open === true) return ["bad", "failed", "Paused"];
  if (whole(out.pending?.events)) return ["none", "pending", "Sending"];
  return ["ok", "ok", "Up to date"];
}

export function forwarding(out, now) {
  if (out.configured !== true) {
    return [el("p.nothing-yet", null, out.remoteOnly === true
      ? "Events wait for a receiver, and none is set: " : "This machine keeps its events to itself. To send them to another serve: ", el("code", null, "APE_CLAW_TELEMETRY_URL")), waiting(out)];
  }
  const row = (name, ...value) => (value.flat().some((v) => v) ? el("div", null, el("dt", null, name), el("dd", null, ...value)) : null);
  const pending = whole(out.pending?.events), others = whole(out.others?.events), failures = whole(out.breaker?.failures);
  return el("dl.card-facts.forwarding", null,
    row("state", badge(standing(out))),
    row("needs", text(out.missing) ? marked(text(out.missing), 300) : ""),
    row("to", el("code", null, marked(text(out.url), 200))),
    row("as", text(out.agentId) ? el("code", null, marked(text(out.agentId), 64)) : ""),
    row("to send", amount(out.pending)),
    row("of others", others ? `${amount(out.others)}, under other agents' credentials` : ""),
    row("last taken", when(out.lastSuccess, now, pending || failures ? "never" : "")),
    row("last error", text(out.lastError) ? [...marked(text(out.lastError), 300), whole(out.lastStatus) ? ` (${out.lastStatus})` : ""] : ""),
    row("next try", out.breaker?.open === true ? [until(out.breaker.until, now), failures ? `, after ${plural(failures, "failure")} in a row` : ""] : ""),
    row("taken", plural(whole(out.sent), "event")),
    row("lost", whole(out.lost?.events) ? `about ${plural(whole(out.lost.events), "event")}, removed from the log before they could be sent` : ""),
    row("log", out.remoteOnly === true ? "kept only until the receiver has it" : ""));
}

const amount = (p) => (whole(p?.events) ? `${p.more === true ? "more than " : ""}${plural(whole(p.events), "event")}, ${bytes(whole(p.bytes))}` : "nothing");
const waiting = (out) => (whole(out.pending?.events) ? el("p.fine", null, `Waiting: ${amount(out.pending)}.`) : null);

function until(ts, now) {
  const left = Math.ceil((Date.parse(text(ts)) - now) / 1000);
  return !Number.isFinite(left) ? "" : left <= 0 ? "now" : left < 120 ? `in ${left} s` : `in ${Math.round(left / 60)} min`;
}

/** Events that the receiver refused for good. */
export function letters(answer, dead, now) {
  const all = list(answer.letters);
  return [
    el("p.fine", null, "The receiver will not take these as they are. They are kept, and sent again by ", el("code", null, "ape-claw events flush --dead")),
    el("ul.lines", null, all.slice(0, MOST).map((l) => el("li.letter", null,
      el("b", null, text(l?.eventType) ? marked(text(l.eventType), 80) : "an event that can't be read"),
      el("span.mark.m-refused", null, `${whole(l?.status) || ""} ${visible(tidy(l?.code, 40))}`.trim() || "refused"),
      el("span.reason", null, marked(text(l?.reason), 300)),
      el("small", null, when(l?.when, now), text(l?.eventId) ? [" · ", el("code", null, marked(text(l.eventId), 100))] : "", text(l?.agentId) ? [" · as ", ...marked(text(l.agentId), 64)] : "")))),
    whole(dead) > Math.min(all.length, MOST) ? el("p.fine", null, `The newest ${Math.min(all.length, MOST)} of ${number(whole(dead))}.`) : null,
  ];
}
