// One action as a person decides by it: what we computed first and large, what the
// model says below it and labelled. Every text goes through dom.js.
import { el, icon, marked } from "./dom.js";
import { clip, number, plural, short, shortTrace } from "./format.js";

export const stateWord = {
  proposed: "Waiting for you", executing: "Executing", executed: "Executed", failed: "Failed",
  rejected: "Rejected", cancelled: "Cancelled", expired: "Expired", unknown: "Outcome unknown", partial: "Executed in part",
};
const stateIcon = { proposed: "pending", executing: "turning", executed: "ok", failed: "failed", rejected: "refused", cancelled: "cancelled", expired: "expired", unknown: "warn", partial: "warn" };
const riskWord = { high: "High risk", write: "Changes something", read: "Reads" };

/** The state as it is shown: a failure of which nobody knows is not a failure, and a part is no success. */
export const stateOf = (a) => (a.state === "failed" && a.outcome?.outcome === "unknown" ? "unknown" : a.state === "executed" && a.outcome?.outcome === "partial" ? "partial" : Object.hasOwn(stateWord, a.state) ? a.state : "unknown");

export const riskOf = (a) => (a.grade === "write" || a.grade === "read" ? a.grade : "high"); // what is not known is the worst

export const list = (v) => (Array.isArray(v) ? v : []);
const text = (v) => (typeof v === "string" ? v : v === undefined || v === null ? "" : JSON.stringify(v));

/** Who asked, in words. */
export function asker(origin) {
  const [kind, ...rest] = text(origin).split(":");
  const name = rest.join(":");
  if (kind === "conn") return ["the model ", el("b", null, marked(name, 60))];
  if (kind === "mcp") return ["the MCP client ", el("b", null, marked(name, 60))];
  return [el("b", null, marked(text(origin) || "nobody known", 60))];
}

export function badge(a) {
  const s = stateOf(a);
  return el(`span.state-badge.s-${s}`, null, icon(stateIcon[s]), stateWord[s]);
}

export const riskBadge = (a) => el(`span.risk.r-${riskOf(a)}`, null, icon(riskOf(a) === "high" ? "warn" : "pen"), riskWord[riskOf(a)]);

/** mm:ss that are left until a time, by the server's clock; "" when it is over. */
export function left(until, now) {
  const ms = Date.parse(until) - now;
  if (!(ms > 0)) return "";
  const s = Math.ceil(ms / 1000);
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

/** How much of its time is left, 0 to 1. */
export function share(a, now) {
  const from = Date.parse(a.createdAt), to = Date.parse(a.expiresAt);
  return to > from ? Math.min(1, Math.max(0, (to - now) / (to - from))) : 0;
}

/** A text whose addresses and hashes are set so that their characters can be told apart. */
export const hex = (value, most) => (value.length > most ? marked(value, most) : value.split(/(0x[0-9a-f]{16,})/i).flatMap((part, i) => (i % 2 ? el("code", null, part) : marked(part, most))));

function facts(a) {
  const line = (f) => el("div", { class: f.volatile ? "volatile" : null }, el("dt", null, marked(text(f.label) || text(f.name), 80)), el("dd", null, hex(text(f.value), 400)));
  const firm = list(a.facts).filter((f) => !f.volatile), moving = list(a.facts).filter((f) => f.volatile);
  return [
    el("dl.card-facts", null, firm.map(line)),
    moving.length ? [el("h4", null, "As of the last look", el("small", null, "may change until it is executed")), el("dl.card-facts.moving", null, moving.map(line))] : null,
  ].flat();
}

function spends(a) {
  const all = list(a.spends);
  if (!all.length) return null;
  const does = { proposed: "Leaves", executing: "Leaves", executed: "Left", unknown: "May have left", partial: "Left" }[stateOf(a)] ?? "Would have left";
  return el("p.spends", null, el("span", null, `${does} the account, at most`), all.map((s) => el("b", null, marked(text(s.shown) || `${text(s.base)} base units of ${text(s.asset)}`, 80))));
}

const levels = { info: "note", warning: "warning", critical: "contradiction" };

/** The model's words, under a label that nobody can take for ours, and what of them does not fit the facts. */
function claim(a) {
  const found = list(a.claimCheck?.findings), level = Object.hasOwn(levels, a.claimCheck?.level) ? a.claimCheck.level : "";
  const words = text(a.claim);
  return el(`section.claim${level ? `.l-${level}` : ""}`, { "aria-label": "What the model says" },
    el("h4", null, "The model says", el("small", null, "its own words: decide by the facts above")),
    words ? el("blockquote", null, marked(words, 300)) : el("p.dim", null, "Nothing."),
    found.length
      ? el("ul.findings", null, found.map((f) => el(`li.f-${Object.hasOwn(levels, f.level) ? f.level : "info"}`, null, icon(f.level === "info" ? "info" : "warn"), el("span", null, el("b", null, `${levels[f.level] ?? "note"}: `), marked(text(f.text), 400)))))
      : words ? el("p.fits", null, icon("ok"), "Nothing in it contradicts the facts.") : null);
}

function taint(a) {
  const read = list(a.taint), from = list(a.untrusted).filter((t) => !read.includes(t));
  if (!read.length && !from.length) return null;
  const chips = (names) => names.slice(0, 20).map((n) => el("code.source", null, marked(text(n), 60)));
  return el("div.taint", null, icon("warn"), el("div", null,
    read.length ? el("p", null, "Before it asked, the model had read text from outside: ", chips(read), ". Who wrote that text may have wanted this.") : null,
    from.length ? el("p", null, "Some facts come from outside: ", chips(from), ".") : null));
}

/** What came of it. */
function ending(a) {
  const o = a.outcome ?? {}, s = stateOf(a);
  if (s === "proposed") return null;
  if (s === "executing") return el("div.ending.s-executing", { role: "status" }, icon("turning"), el("div", null, el("p", null, el("b", null, "Executing now.")), el("p.dim", null, "Closing this page stops nothing.")));
  const who = { operator: "by you", clock: "by the clock", kill: "by the kill switch" }[o.resolver] ?? (o.resolver ? `by ${clip(text(o.resolver), 60)}` : "");
  const rows = [];
  const row = (name, value, mono) => value && rows.push(el("div", null, el("dt", null, name), el("dd", null, mono ? el("code", null, marked(text(value), 200)) : marked(text(value), 600))));
  row("reason", o.reason);
  row("error", o.error);
  row("code", [o.code, o.cause].filter(Boolean).join(" · "), true);
  row("what to do", o.hint);
  row("transaction", o.txHash, true);
  const head = {
    executed: ["Executed", o.reconciled ? ", as the log shows: the process that did it ended before it could say so" : ""],
    failed: ["Failed", o.sent === "no" ? ": nothing was sent" : ""],
    partial: ["Executed in part", ": the rest was not carried out."],
    unknown: ["The outcome is unknown", ": it may have happened. Nothing runs it again."],
    rejected: ["Rejected ", who], cancelled: ["Cancelled ", who], expired: ["Its time was over", " before anybody approved it. The model may ask again."],
  }[s] ?? [stateWord[s], ""];
  return el(`div.ending.s-${s}`, null, icon(stateIcon[s]), el("div", null, el("p", null, el("b", null, head[0]), head[1]), rows.length ? el("dl.card-facts", null, rows) : null));
}

function details(a, onTrace) {
  const rows = [["tool", a.tool], ["permission", a.permission], ["action", a.id], ["reference", a.reference], ...Object.entries(a.binding ?? {}).slice(0, 20), ["facts", short(text(a.factsHash))], ["arguments", short(text(a.argsHash))]];
  return el("details.more-about", null, el("summary", null, "Exact arguments, and what it is bound to"),
    el("dl.card-facts", null, rows.filter(([, v]) => v).map(([k, v]) => el("div", null, el("dt", null, marked(text(k), 60)), el("dd", null, el("code", null, marked(text(v), 200)))))),
    el("pre.args", { tabindex: 0, "aria-label": "Arguments" }, JSON.stringify(a.args ?? {}, null, 2).split("\n").flatMap((l, i) => [i ? document.createTextNode("\n") : null, ...marked(l, 16_384)])),
    a.traceId ? el("button.button.small", { type: "button", onclick: () => onTrace(a.traceId) }, "All events of ", el("code", null, shortTrace(a.traceId))) : null);
}

/** The whole card. now is the server's time; decide is the place for the forms. */
export function card(a, { now, decide, onTrace, onWhy }) {
  const open = a.state === "proposed";
  const from = list(a.warnings);
  return el(`article.card-sheet.r-${riskOf(a)}${open || a.state === "executing" ? "" : ".closed"}`, { "aria-labelledby": "card-title" },
    el("header", null,
      el("div.over", null, riskBadge(a), badge(a), el("span.grow"), open ? el("span.countdown", { id: "card-left" }) : null),
      open ? el("div.fuse", { "aria-hidden": "true" }, el("i", { id: "card-fuse" })) : null,
      el("h2", { id: "card-title", tabindex: -1 }, marked(text(a.title) || text(a.tool), 200)),
      el("p.asked", null, "Asked by ", asker(a.origin), ` ${ago(a.createdAt, now)}, with `, el("code", null, marked(text(a.tool), 60)))),
    ending(a),
    from.length ? el("ul.warnings", null, from.slice(0, 10).map((w) => el("li", null, icon("warn"), el("span", null, marked(text(w), 400))))) : null,
    el("section.truth", { "aria-label": "Facts" }, el("h3", null, "Facts", el("small", null, "computed by ape-claw, not taken from the model")), spends(a), facts(a),
      a.impact ? el("p.impact", null, hex(text(a.impact), 600)) : null),
    taint(a),
    claim(a),
    el("div.why", null, el("button.button.small", { type: "button", id: "card-why", "aria-expanded": "false", onclick: onWhy }, icon("info"), open ? "Why is this asked, and what would stop it?" : "Which rules were checked?"), el("div", { id: "card-why-more" })),
    details(a, onTrace),
    decide);
}

/** How long ago, for people: no more than they want to know. */
export function ago(ts, now) {
  const s = Math.max(0, Math.round((now - Date.parse(ts)) / 1000));
  if (!Number.isFinite(s)) return "";
  if (s < 5) return "just now";
  if (s < 60) return `${s} s ago`;
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  return s < 172_800 ? `${Math.floor(s / 3600)} h ago` : `${Math.floor(s / 86_400)} days ago`;
}

/** The checks of an explanation, in their order. */
export function checks(answer) {
  const all = list(answer.checks), kind = { passes: "ok", refuses: "failed" };
  if (!all.length) return el("p.dim", null, "There is nothing to tell.");
  const passing = all.filter((c) => c.verdict === "passes").length;
  const held = (c) => [c.measured && ["is ", el("b", null, marked(text(c.measured), 200))], c.limit && [c.measured ? ", " : "", "limit ", el("b", null, marked(text(c.limit), 200))]].filter(Boolean).flat();
  return el("div", null,
    el("p.dim", null, `${number(passing)} of ${plural(all.length, "check")} ${passing === 1 ? "passes" : "pass"} now, in the order in which they are made.`),
    el("ol.checks", null, all.slice(0, 80).map((c) => el("li", null, icon(kind[c.verdict] ?? "pending"),
      el("div", null,
        el("p.check", null, el("b", null, marked(text(c.gate), 80)), " ", el("span.dim", null, marked(text(c.verdict), 20))),
        held(c).length ? el("p", null, held(c)) : null,
        c.reason ? el("p", null, marked(text(c.reason), 400)) : null,
        c.change ? el("p.fine", null, marked(text(c.change), 300)) : null)))),
    list(answer.notes).slice(0, 10).map((n) => el("p.fine", null, marked(text(n), 300))));
}
