// The parts of the view of what is on chain. Everything in an answer is data, and
// much of it strangers wrote: it is bounded here, and reaches the page as text.
import { ago, list } from "./card.js";
import { chainName, explorer } from "./describe.js";
import { el, icon, marked } from "./dom.js";
import { fromBase, plural, visible } from "./format.js";

const MOST = 100; // rows of a part
const text = (v) => (typeof v === "string" ? v : typeof v === "number" ? String(v) : "");
/** A stranger's short text. */
export const tidy = (v, most) => text(v).slice(0, most);
const big = (v) => (/^\d{1,78}$/.test(text(v)) ? BigInt(text(v)) : null);
const ape = (wei) => (fromBase(text(wei)) === "" ? "an unreadable amount" : `${fromBase(text(wei))} APE`);

/** An address or a hash, with the way to the explorer where there is one. */
export function hash(value, chainId, kind = "address") {
  const href = explorer({ ev: { chainId } }, kind, text(value));
  return el("span.hash", null, el("code", null, marked(text(value), 80)),
    href ? el("a.tiny", { href, target: "_blank", rel: "noopener noreferrer", "aria-label": "open in the block explorer" }, icon("out")) : null);
}

const states = {
  ours: ["ok", "ok", "Known code"],
  listed: ["warn", "warn", "Other code, allowed by policy"],
  missing: ["none", "cancelled", "Not deployed"],
  foreign: ["bad", "failed", "Not what it should be"],
  unread: ["warn", "warn", "Not read"],
};
const stateOf = (c) => (Object.hasOwn(states, text(c.state)) ? states[c.state] : states.unread);
export const badge = ([kind, sign, word]) => el(`span.mark.m-${kind}`, null, icon(sign), word);

/** Whether a contract of the configuration can be called. */
export const usable = (config, name) => list(config?.contracts).some((c) => c?.name === name && (c.state === "ours" || c.state === "listed"));

/** What the first line says of a configuration. */
export function headline(config) {
  const all = list(config.contracts), where = chainName(config.chainId);
  const known = all.filter((c) => c?.state === "ours").length;
  if (config.configured !== true) return `Nothing is deployed on ${where}`;
  return known === all.length ? `${plural(known, "contract")} on ${where}, each with the code that this ape-claw knows` : `${known} of ${plural(all.length, "contract")} on ${where} can be vouched for`;
}

/** Who gave the addresses, where it is the same for all; "" else. */
function source(config) {
  const all = new Set(list(config.contracts).filter((c) => c?.address).map((c) => text(c.from)));
  return all.size === 1 ? [...all][0] : "";
}

/** Who gave the addresses, for the head of their part. */
export const given = (config) => (source(config) ? `addresses from ${source(config).slice(0, 80)}` : "");

export function contracts(config) {
  const common = source(config);
  return [
    config.configured === true ? null : el("p.nothing-yet", null, "Skills, intents, receipts, the vault and agent accounts are contracts of your own. To see what a deployment would do and cost: ", el("code", null, "ape-claw v2 deploy")),
    el("ul.lines", null, list(config.contracts).slice(0, MOST).map((c) => el("li.contract", null,
      el("b", null, marked(text(c?.name), 40)),
      c?.address ? hash(c.address, config.chainId) : el("span"), badge(stateOf(c ?? {})),
      c?.from && c.from !== common ? el("small", null, "address from ", marked(text(c.from), 80)) : null))),
  ];
}

/** A share of the whole in per cent, and of a bar. */
function share(shares, total) {
  if (shares === null || !total) return [0, "no share that can be read"];
  const tenth = Number((shares * 1000n) / total) / 10;
  return [Math.min(100, tenth), `${shares > 0n && tenth === 0 ? "under 0.1" : tenth} %`];
}

export function vault(v) {
  const total = big(v.totalShares), members = list(v.members);
  return [
    el("dl.sums", null,
      el("div", null, el("dt", null, "holds"), el("dd", null, ape(v.balanceWei))),
      el("div", null, el("dt", null, "members"), el("dd", null, String(members.length))),
      el("div", null, el("dt", null, "at"), el("dd", null, hash(v.vault, v.chainId)))),
    el("ul.lines", null, members.slice(0, MOST).map((m) => {
      const [width, word] = share(big(m?.shares), total);
      const bar = el("i");
      bar.style.width = `${width}%`;
      return el("li.member", null, el("b", null, word), el("span.bar", { "aria-hidden": "true" }, bar),
        hash(m?.address, v.chainId),
        el("small", null, `${visible(text(m?.shares).slice(0, 80))} of ${visible(text(v.totalShares).slice(0, 80))} shares · can take ${ape(m?.pendingWei)} · took ${ape(m?.releasedWei)}`));
    })),
    members.length > MOST ? el("p.fine", null, `The first ${MOST} are shown.`) : null,
  ];
}

export function skills(s, now) {
  const all = list(s.skills);
  if (!all.length) return [el("p.nothing-yet", null, "No skill was minted yet: ", el("code", null, "ape-claw v2 skill mint"))];
  return [el("ul.lines", null, all.slice(0, MOST).map((k) => el("li", null,
    el("b", null, "#", marked(text(k?.skillId), 80)),
    el("span.mark.m-none", null, k?.riskTier ? `risk ${visible(text(k.riskTier).slice(0, 4))}` : "no version yet"),
    hash(k?.owner, s.chainId),
    el("small", null, text(k?.parentId) && k.parentId !== "0" ? ["made from #", ...marked(text(k.parentId), 80), " · "] : "", `${text(k?.versions) === "1" ? "1 version" : `${visible(text(k?.versions).slice(0, 20))} versions`}`, k?.publishedAt ? `, the newest ${ago(text(k.publishedAt), now)}` : ""),
    k?.uri ? el("span.uri", null, marked(text(k.uri), 160)) : null)))];
}

const verdicts = {
  looking: ["none", "pending", "Looking"], unlooked: ["none", "pending", "Not looked at yet"], unread: ["warn", "warn", "Can't be read"],
  absent: ["refused", "refused", "Not on chain"], agrees: ["ok", "ok", "On chain, as in the log"], differs: ["bad", "failed", "On chain, and not as in the log"],
  unsure: ["warn", "warn", "On chain; the log can't tell"],
};

/** What is known of a receipt, as the name of a verdict. */
export function verdict(r) {
  if (r.looking && !r.answer) return "looking";
  if (r.error) return "unread";
  if (!r.answer) return "unlooked";
  if (r.answer.isRecorded !== true) return "absent";
  return r.answer.agrees === true ? "agrees" : r.answer.agrees === false ? "differs" : "unsure";
}

/** Unix seconds as a time, "" where it is none. */
const when = (seconds) => (/^\d{1,11}$/.test(text(seconds)) ? new Date(Number(seconds) * 1000).toISOString().replace(".000", "") : "");

/** One receipt; onTrace leads to its events, onLook asks the chain. */
export function receipt(r, { now, onTrace, onLook }) {
  const v = verdict(r), c = r.answer?.isRecorded === true && r.answer.receipt ? r.answer.receipt : null;
  const row = (name, value) => (value ? el("div", null, el("dt", null, name), el("dd", null, value)) : null);
  return el(`li.receipt.v-${v}`, null,
    el("button.trace-link", { type: "button", "data-key": `trace ${r.trace}`, title: "all events of this trace", onclick: () => onTrace(r.trace) }, el("code", null, marked(r.trace, 60))),
    badge(verdicts[v]),
    r.error ? el("p.fine", { role: "alert" }, marked(r.error, 300)) : null,
    v === "unlooked" || r.error ? el("button.button.small", { type: "button", "data-key": `look ${r.trace}`, onclick: () => onLook(r.trace) }, "Look") : null,
    r.answer?.why ? el("small", null, marked(text(r.answer.why), 300)) : null,
    c ? el("details", { "data-key": `more ${r.trace}`, open: r.open ? "" : null, ontoggle: (e) => (r.open = e.target.open) }, el("summary", null, `recorded ${ago(when(c.recordedAt), now) || "at a time that can't be read"}`),
      el("dl.card-facts", null,
        row("recorded", el("time", null, when(c.recordedAt) || marked(text(c.recordedAt), 40))), row("by", c.recorder ? hash(c.recorder, r.answer.chainId) : ""),
        row("content hash", c.contentHash ? hash(c.contentHash, 0) : ""), row("subject hash", c.subject ? hash(c.subject, 0) : ""), row("trace hash", c.traceIdHash ? hash(c.traceIdHash, 0) : ""),
        row("URI", c.uri ? marked(text(c.uri), 200) : ""))) : null);
}
