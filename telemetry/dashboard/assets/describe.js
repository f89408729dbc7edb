// One sentence an event, for people. A sentence is a list of parts: plain text,
// or [kind, text] where kind is "b" (what it is about) or "money".
import { clip, fromBase, number, plural, rawNumber, short, title } from "./format.js";

/** Chains that only the sandbox has. */
const sandboxChains = new Set([7733139, 7700001]);

const chainNames = new Map([[33139, "ApeChain"], [33111, "Curtis testnet"], [7733139, "Sandbox ApeChain"], [7700001, "Sandbox Ethereum"], [1, "Ethereum"], [8453, "Base"], [42161, "Arbitrum"]]);
const explorers = new Map([[33139, "https://apescan.io"], [33111, "https://curtis.apescan.io"]]);

export const chainName = (id) => chainNames.get(id) ?? `chain ${typeof id === "number" || typeof id === "string" ? clip(String(id), 40) : "unknown"}`;

export function explorer(rec, kind, hash) {
  const base = explorers.get(rec.ev.chainId);
  return base && /^0x[0-9a-fA-F]{40,64}$/.test(hash) ? `${base}/${kind}/${hash}` : "";
}

/** Which world an event happened in. Sandbox wins: nothing there is real. */
export function modeOf(ev) {
  if (sandboxChains.has(ev.chainId)) return "sandbox";
  return ev.dryRun === false ? "real" : "dry";
}

/** Whether an event is about a transaction on a real chain: the loudest there is. */
export const isMoney = (rec) => rec.mode === "real" && rec.facts.txHash !== "";

export const modeWord = { sandbox: "Sandbox", dry: "Dry run", real: "Real" };

export function outcomeOf(ev) {
  if (ev.eventType === "policy.blocked") return "refused";
  if (ev.ok === false) return "failed";
  if (/\.(submitted|retry|replacing)$/.test(ev.eventType)) return "pending";
  if (ev.eventType === "nft.buy.cancelled" || ev.eventType === "v2.tx.cancelled") return "cancelled";
  return "ok";
}

export const outcomeWord = { ok: "ok", refused: "refused by policy", failed: "failed", pending: "on its way", cancelled: "cancelled" };

const obj = (v) => (v && typeof v === "object" && !Array.isArray(v) ? v : {});
const first = (...vs) => vs.find((v) => v !== undefined && v !== null && v !== "");
// A sentence shows the start of a long text; the event's JSON has all of it.
const text = (v) => (typeof v === "string" ? clip(v) : typeof v === "number" ? String(v) : "");
const size = (v) => (v === undefined || v === null ? undefined : Array.isArray(v) ? v.length : typeof v === "number" ? v : undefined);

/**
 * What an event says about a token, an amount and a transaction. quotes maps a
 * quote id to the facts of its nft.quote.created, for events that only name it.
 */
export function factsOf(rec, quotes) {
  const p = obj(rec.ev.payload), r = obj(rec.ev.result), q = obj(first(r.quote, p.quote));
  const pick = (name) => text(first(r[name], p[name], q[name]));
  const quoteId = pick("quoteId");
  const known = (quoteId && quotes?.get(quoteId)) || {};
  const places = first(r.decimals, p.decimals, q.decimals, 18);
  const decimals = Number.isInteger(places) && places >= 0 && places <= 78 ? places : NaN;
  const wei = first(r.priceWei, p.priceWei, q.priceWei);
  const amount = Number.isNaN(decimals) ? "" : fromBase(wei, decimals) || (first(r.priceApe, p.priceApe, q.priceApe) === undefined ? "" : clip(rawNumber(rec.raw, "priceApe"), 100)) || known.amount || "";
  const currency = pick("currency") || known.currency || "APE";
  const owner = pick("newOwner") || pick("owner") || (rec.ev.eventType === "nft.buy.confirmed" ? pick("buyer") : "");
  return {
    quoteId, amount, currency, owner,
    wei: typeof wei === "string" && /^\d+$/.test(wei) ? wei : known.wei,
    collection: title(pick("collectionName") || pick("name") || pick("collection") || known.collection || ""),
    tokenId: pick("tokenId") || known.tokenId || "",
    txHash: pick("txHash") || pick("tx"),
    fee: fromBase(r.feeWei),
    block: first(r.blockNumber, p.blockNumber),
    reason: text(first(r.reason, p.reason, rec.ev.error, r.error)),
  };
}

const asset = (f) => ["b", f.collection ? `${f.collection}${f.tokenId ? " #" + f.tokenId : ""}` : f.tokenId ? `token #${f.tokenId}` : f.quoteId ? `quote ${f.quoteId}` : "a token"];
const price = (f, word) => (f.amount ? [` ${word} `, ["money", `${f.amount} ${f.currency}`]] : []);
const total = (wei, word) => (fromBase(wei) ? [` ${word} `, ["money", `${fromBase(wei)} APE`]] : []);
const cap = (v) => (v === "unlimited" ? "any amount" : `${text(v)} APE`);
const because = (f, sep = ": ") => (f.reason ? [sep + f.reason.replace(/0x[0-9a-fA-F]{40,64}\b/g, short)] : []);
const act = (ev) => clip(String(ev.command ?? "")).replace(/^ape-claw /, "") || "command";

// Who a model or a client is: its own kind of name, without the kind.
const who = (v) => text(v).replace(/^(conn|mcp):/, "") || "a model";
const toolEnd = (r) => {
  if (r.outcome === "proposed") return ": it waits for a person";
  return r.outcome === "ok" ? "" : `: ${text(first(r.code, r.outcome))}`;
};

// What a transaction of the v2 contracts does.
const deeds = {
  "skill.mint": "mint a skill", "skill.publish": "publish a version", "intent.create": "create an intent", "intent.cancel": "cancel an intent", "receipt.record": "record a receipt",
  "vault.release": "pay out of the vault", "agent.execute": "run a module", "deploy.create": "deploy a contract", "policy.set": "set a rule",
};
const doing = (p) => (typeof p.op === "string" && Object.hasOwn(deeds, p.op) ? deeds[p.op] : text(p.op) || "call a contract");
const numbered = (id) => ["b", `#${text(id)}`];

const sentences = {
  "nft.quote.created": (f) => ["Quoted ", asset(f), ...price(f, "at")],
  "nft.simulation.passed": (f) => ["Simulation passed for ", asset(f), ...price(f, "at")],
  "nft.simulation.failed": (f) => ["Simulation failed for ", asset(f), ...because(f)],
  "nft.buy.dry_run": (f, p, r) => {
    const gates = size(first(r.wouldBlock, p.wouldBlock)) ?? 0;
    return ["Would buy ", asset(f), ...price(f, "for"), gates ? `, ${plural(gates, "gate")} would refuse` : ", nothing was sent"];
  },
  "nft.buy.submitted": (f) => ["Sent the purchase of ", asset(f), ...price(f, "for")],
  "nft.buy.confirmed": (f) => ["Bought ", asset(f), ...price(f, "for")],
  "nft.buy.reverted": (f) => ["Purchase of ", asset(f), " reverted", ...because(f)],
  "nft.buy.unknown": (f) => ["Purchase of ", asset(f), " has no known outcome yet", ...because(f)],
  "nft.buy.retry": (f, p) => [`Tried again${p.attempt ? ` (attempt ${p.attempt})` : ""} to buy `, asset(f)],
  "nft.buy.replacing": (f, _p, r) => [r.kind === "cancel" ? "Sent the cancellation of the purchase of " : r.kind === "reprice" ? "Sent again, with a higher fee, the purchase of " : "Replaced the purchase of ", asset(f)],
  "nft.buy.cancelled": (f) => ["Cancelled the purchase of ", asset(f), f.fee ? `: only the fee of ${f.fee} APE is gone` : ": only the fee is gone"],
  "nft.buy.replaced": (f) => ["Another transaction took the place of the purchase of ", asset(f), ...because(f)],
  "nft.resume.ran": (_f, _p, r) => ["Looked for outcomes: ", ["b", `${number(size(r.settled) ?? 0)} settled`], size(r.open) ? `, ${number(size(r.open))} still open` : ", nothing is open"],
  "nft.autobuy.planned": (_f, _p, r) => {
    const gates = size(r.wouldBlock) ?? 0;
    return ["Planned ", ["b", plural(size(first(r.selectedCount, r.planned)) ?? 0, "purchase")], ...total(r.totalWei, "for"), gates ? `, ${plural(gates, "gate")} would refuse` : ", nothing was bought"];
  },
  "nft.autobuy.executed": (_f, _p, r) => ["Bought ", ["b", plural(size(r.executed) ?? 0, "token")], " as planned", ...total(r.spentWei, "for")],
  "nft.autobuy.partial": (_f, _p, r) => ["Bought ", ["b", number(size(r.executed) ?? 0)], ...total(r.spentWei, "for"), `, ${number(size(r.failed) ?? 0)} not bought`],
  "nft.autobuy.failed": (_f, _p, r) => [`Bought none of ${number(size(r.failed) ?? 0)}`],
  "policy.blocked": (f, p, _r, ev) => ["Refused ", ["b", text(p.command).replace(/^ape-claw /, "") || act(ev)], ...because(f)],
  "command.failed": (f, _p, r, ev) => [["b", act(ev)], " failed", ...because(f), !f.reason && r.code ? `: ${text(r.code)}` : ""],
  "market.collections.read": (_f, _p, r) => ["Read ", ["b", plural(size(first(r.count, r.collections)) ?? 0, "collection")]],
  "market.listings.read": (f, _p, r) => ["Read ", ["b", plural(size(first(r.count, r.listings)) ?? 0, "listing")], f.collection ? ` of ${f.collection}` : ""],
  "market.listings.failed": (f) => ["Listings could not be read", ...because(f)],
  "chain.info.read": (_f, _p, r, ev) => ["Read ", ["b", chainName(ev.chainId)], r.latestBlock ?? r.blockNumber ? ` at block ${number(r.latestBlock ?? r.blockNumber)}` : ""],
  "doctor.ran": (_f, _p, r, ev) => {
    const issues = size(r.issues) ?? 0, warnings = size(r.warnings) ?? 0;
    return ["Checked the setup: ", ["b", issues ? plural(issues, "issue") : ev.ok === false ? "not ready" : "ready"], warnings ? `, ${plural(warnings, "warning")}` : ""];
  },
  "demo.ran": (_f, _p, r) => ["Played the demo", r.completed === true ? " to its end" : ""],
  "sandbox.started": (_f, _p, r) => ["Started the sandbox", size(r.listings) ? ` with ${plural(size(r.listings), "listing")}` : ""],
  "sandbox.stopped": () => ["Stopped the sandbox"],
  "sandbox.reset": () => ["Reset the sandbox to its first block"],
  "nft.quote.failed": (f) => ["No quote for ", asset(f), ...because(f)],
  "nft.quote.read": (f) => ["Showed the quote for ", asset(f), ...price(f, "at")],
  "nft.quotes.read": (_f, _p, r) => ["Listed ", ["b", plural(size(r.count) ?? 0, "quote")]],
  "policy.initialized": (_f, _p, r) => ["Wrote the policy: ", ["b", `${cap(r.maxPricePerTx)} a purchase, ${cap(r.dailySpendCap)} a day`]],
  "policy.shown": () => ["Showed the policy in force"],
  "policy.checked": (_f, _p, r) => ["Checked the policy", size(r.warnings) ? `: ${plural(size(r.warnings), "warning")}` : ": it holds"],
  "policy.explained": (_f, p, r) => ["Explained ", ["b", text(p.command).replace(/^ape-claw /, "")], r.spends === false ? ": it spends nothing" : size(r.refusing) ? `: ${plural(size(r.refusing), "gate")} would refuse` : ": no gate refuses"],
  "policy.spend.read": (_f, _p, r) => ["Read the spending of 24 hours", ...(fromBase(r.spentWei) ? [": ", ["money", `${fromBase(r.spentWei)} APE`]] : []), size(r.open) ? `, ${number(size(r.open))} open` : ""],
  "ai.turn.started": (_f, p) => [["b", who(p.participant)], text(p.cause) === "callback" ? " is told what came of an action" : " begins to answer"],
  "ai.turn.completed": (_f, p, r) => [["b", who(p.participant)], " answered", size(r.toolCalls) ? ` after ${plural(size(r.toolCalls), "tool call")}` : ""],
  "ai.turn.failed": (_f, p, r) => [["b", who(p.participant)], " did not end its answer: ", text(r.code)],
  "ai.message.created": (_f, p, r) => [["b", who(p.author)], " said: ", text(r.preview)],
  "ai.tool.called": (_f, p, r, ev) => [["b", who(ev.agentId)], ` called ${text(p.tool)}`, toolEnd(r)],
  "ai.mcp.called": (_f, p, r, ev) => [["b", who(ev.agentId)], ` called ${text(p.tool)}`, toolEnd(r)],
  "ai.action.proposed": (_f, p, r) => ["Asks for approval: ", ["b", text(first(r.title, p.tool))], `, of ${who(p.origin)}`],
  "ai.action.resolved": (f, _p, r) => [r.approved === true ? "Approved an action" : `An action is ${text(r.state) || "not approved"}`, ...because(f)],
  "ai.action.executed": (f, p, r) => [text(r.state) === "executed" ? "Carried out " : "Could not carry out ", ["b", text(p.tool)], text(r.outcome) === "unknown" ? ": it may have happened" : "", ...(text(r.state) === "executed" ? [] : because(f))],
  "ai.grant.created": () => ["An approval gave a permit for one use"],
  "ai.grant.revoked": () => ["Took a permit back"],
  "ai.callback.skipped": (_f, _p, r) => ["A model was not told the outcome", r.reason ? `: ${text(r.reason)}` : ""],
  "ai.kill.changed": (f, p) => [p.on === true ? "Stopped all models" : "Models may work again", ...(p.on === true ? because(f) : [])],
  "ai.connection.changed": (_f, p) => [`Connection `, ["b", text(p.name)], `: ${text(p.change)}`],
  "ai.connection.verified": (_f, p, r) => [`Connection `, ["b", text(p.name)], r.ok === true ? ` answers${size(r.modelCount) ? `, with ${plural(size(r.modelCount), "model")}` : ""}` : " does not answer"],
  "ai.auth.changed": () => ["Set the passphrase of approvals"],
  "ai.token.changed": (_f, p) => [`Token of the MCP client `, ["b", text(p.name)], `: ${text(p.change)}`],
  "ai.budget.blocked": (_f, p) => ["A cap stopped ", ["b", who(p.subject)]],
  "ai.security.flagged": (_f, p) => ["Looked like an attempt to get around the rules: ", ["b", text(p.rule)]],
  "ai.policy.explained": () => ["Explained why an action is or is not allowed"],
  "policy.halted": (f) => ["Halted all spending", ...because(f)],
  "policy.unhalted": (_f, _p, r) => [size(r.halted) ? "Lifted a part of the halt: " : "Lifted the halt", size(r.halted) ? `${plural(size(r.halted), "cause")} left` : ""],
  "allowlist.entry.added": (_f, _p, r) => ["Allowed collection ", ["b", title(text(first(r.name, r.slug)))], r.contractAddress ? ` (${short(text(r.contractAddress))})` : ""],
  "allowlist.entry.removed": (_f, _p, r) => ["No longer allowed: ", ["b", title(text(first(r.name, r.slug)))]],
  "allowlist.list.read": (_f, _p, r) => ["Read the allowlist: ", ["b", plural(size(r.count) ?? 0, "collection")]],
  "market.collections.failed": (f) => ["Collections could not be read", ...because(f)],
  "quickstart.ran": () => ["Showed the quickstart"],
  "auth.saved": () => ["Saved the auth profile"],
  "allowlist.audit.ran": (_f, _p, r) => ["Audited the allowlist", size(r.unresolvedCount) ? `: ${plural(r.unresolvedCount, "entry", "entries")} unresolved` : ""],
  "skill.install.ran": (_f, _p, r) => ["Installed skill ", ["b", text(r.slug)]],
  "clawbot.registered": (_f, _p, r) => ["Registered clawbot ", ["b", text(first(r.name, r.agentId))]],
  "clawbot.list.read": (_f, _p, r) => ["Read ", ["b", plural(size(r.count) ?? 0, "clawbot")]],
  "bridge.quote.created": (_f, p, r) => ["Bridge quote ", ["b", `${chainName(p.fromChain)} → ${chainName(p.toChain)}`], r.requestId ? ` (${short(r.requestId)})` : ""],
  "bridge.execute.dry_run": () => ["Would bridge, nothing was sent"],
  "bridge.execute.submitted": (_f, p) => ["Sent the bridge deposit ", ["b", short(p.requestId)]],
  "bridge.execute.confirmed": (_f, p, r) => ["Bridged ", ["b", short(first(r.requestId, p.requestId))]],
  "bridge.status.read": (_f, p, r) => ["Bridge ", ["b", short(first(r.requestId, p.requestId))], ` is ${text(r.status)}`],
  "v2.skill.minted": (_f, p, r) => ["Minted skill ", numbered(r.skillId), text(p.parentId) && text(p.parentId) !== "0" ? ` from #${text(p.parentId)}` : ""],
  "v2.skill.version.published": (_f, p, r) => ["Published ", ["b", p.version ? `version ${text(p.version)}` : "a version"], " of skill ", numbered(first(r.skillId, p.skillId))],
  "v2.skill.read": (_f, p, r) => ["Read skill ", numbered(first(r.skillId, p.skillId)), size(r.versions) === undefined ? "" : `: ${plural(size(r.versions), "version")}`],
  "v2.skills.read": (_f, _p, r) => ["Listed ", ["b", plural(size(r.count) ?? 0, "skill")], " on chain"],
  "v2.intent.created": (_f, _p, r) => ["Created intent ", numbered(r.intentId)],
  "v2.intent.cancelled": (_f, p, r) => ["Cancelled intent ", numbered(first(r.intentId, p.intentId))],
  "v2.intent.read": (_f, p, r) => ["Read intent ", numbered(first(r.intentId, p.intentId)), r.exists === false ? ": there is none" : r.active === true ? ": it is active" : ": it is over"],
  "v2.receipt.recorded": (_f, p, r) => ["Recorded a receipt of ", ["b", short(text(first(r.traceId, p.traceId)))], p.auto === true ? ", as policy says" : ""],
  "v2.receipt.read": (_f, p, r) => ["The receipt of ", ["b", short(text(first(r.traceId, p.traceId)))], r.isRecorded !== true ? " is not on chain" : r.agrees === true ? " is on chain, as in the log" : r.agrees === false ? " is on chain, and not as in the log" : " is on chain"],
  "v2.receipt.skipped": (f, p) => ["No receipt was recorded of ", ["b", short(text(first(p.traceId, p.quoteId))) || "a purchase"], ...because(f)],
  "v2.vault.read": (_f, _p, r) => ["Read the vault: ", ["b", plural(size(r.members) ?? 0, "member")], ...total(r.balanceWei, "and")],
  "v2.vault.release": (_f, p, r) => ["Paid ", first(r.token, p.token) || !fromBase(r.amountWei) ? "a share" : ["money", `${fromBase(r.amountWei)} APE`], " out of the vault to ", ["b", short(text(first(r.member, p.member)))]],
  "v2.agent.execute": (_f, p, r) => ["The agent account ran ", ["b", short(text(first(r.module, p.module)))], first(r.target, p.target) ? ` on ${short(text(first(r.target, p.target)))}` : "", ...(text(p.valueWei) === "0" ? [] : total(p.valueWei, "with"))],
  "v2.contract.deployed": (_f, _p, r) => ["Deployed ", ["b", text(r.contract) || "a contract"], r.address ? ` at ${short(text(r.address))}` : ""],
  "v2.policy.set": (_f, _p, r) => ["Set a rule of the policy engine: ", ["b", text(r.rule)], r.allowed === undefined ? "" : r.allowed === true ? ", allowed" : ", no longer allowed"],
  "v2.deploy.planned": (_f, p, r) => {
    const gates = size(r.wouldBlock) ?? 0, left = (size(r.steps) ?? 0) - (size(r.done) ?? 0);
    return [`Planned a deployment on ${text(first(r.network, p.network))}: `, ["b", left > 0 ? `${plural(left, "step")} to do` : "all is there"], gates ? `, ${plural(gates, "gate")} would refuse` : ""];
  },
  "v2.deploy.completed": (_f, p, r) => ["The contracts are deployed on ", ["b", text(first(r.network, p.network))], size(r.sent) ? `, with ${plural(size(r.sent), "transaction")}` : ""],
  "v2.resume.ran": (_f, _p, r) => ["Looked for outcomes on chain: ", ["b", `${number(size(r.settled) ?? 0)} settled`], size(r.open) ? `, ${number(size(r.open))} still open` : ", nothing is open"],
  "v2.tx.dry_run": (_f, p, r) => {
    const gates = size(r.wouldBlock) ?? 0;
    return ["Would ", ["b", doing(p)], gates ? `, ${plural(gates, "gate")} would refuse` : ", nothing was sent"];
  },
  "v2.tx.submitted": (_f, p) => ["Sent the transaction to ", ["b", doing(p)], ...(text(p.valueWei) === "0" ? [] : total(p.valueWei, "with"))],
  "v2.tx.reverted": (f, p) => ["Could not ", ["b", doing(p)], ": it reverted", ...because(f)],
  "v2.tx.unknown": (f, p) => ["It is not known yet whether it did ", ["b", doing(p)], ...because(f)],
  "v2.tx.replacing": (_f, p, r) => [r.kind === "cancel" ? "Sent the cancellation of the transaction to " : "Sent again, with a higher fee, to ", ["b", doing(p)]],
  "v2.tx.cancelled": (f, p) => ["Cancelled: it did not ", ["b", doing(p)], f.fee ? `; only the fee of ${f.fee} APE is gone` : "; only the fee is gone"],
  "v2.tx.replaced": (f, p) => ["Another transaction took the place of the one to ", ["b", doing(p)], ...because(f)],
  "pod.init.completed": () => ["Set up the pod workspace"],
};

/** "nft.buy.dry_run" -> "Nft buy dry run" */
function plain(type) {
  const s = clip(String(type || "unnamed event")).replace(/[._]+/g, " ");
  return s[0].toUpperCase() + s.slice(1);
}

/** The sentence for a record that has its facts. It never throws: events may have any shape. */
export function sentence(rec) {
  const ev = rec.ev, f = rec.facts;
  try {
    const make = Object.hasOwn(sentences, ev.eventType) ? sentences[ev.eventType] : null;
    if (make) return make(f, obj(ev.payload), obj(ev.result), ev).filter((x) => x !== "");
  } catch {
    // A foreign event under a name of ours, with fields of other kinds.
  }
  return [plain(ev.eventType), ...(ev.ok === false ? because(f) : [])];
}

export const flat = (parts) => parts.map((p) => (typeof p === "string" ? p : p[1])).join("");
