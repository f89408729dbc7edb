// Contracts for tests: the small server with --v2, and what its chain says.
import { createInterface } from "node:readline";
import { event, live, openPage, startServer, stateDir } from "./harness.mjs";

export const CHAIN = 7733139;
export const addr = (n) => "0x" + n.toString(16).padStart(2, "0").repeat(20);
export const hash = (n) => "0x" + n.toString(16).padStart(2, "0").repeat(32);

export const names = ["SkillNFT", "SkillRegistry", "IntentRegistry", "ReceiptRegistry", "PolicyEngine", "SwapModule", "BridgeModule", "NftBuyModule", "AgentAccount", "PodVault", "MockTarget"];

/** A whole deployment; over changes single contracts. */
export const config = (over = {}, more = {}) => ({
  ok: true, configured: true, chainId: CHAIN, network: "sandbox",
  contracts: names.map((name, i) => ({ name, address: addr(i + 1), state: "ours", from: "the deployment record", ...over[name] })), ...more,
});

export const nothing = () => config(Object.fromEntries(names.map((n) => [n, { address: undefined, from: undefined, state: "missing" }])), { configured: false });

export const vault = (more = {}) => ({
  ok: true, chainId: CHAIN, vault: addr(10), balanceWei: "3500000000000000000", totalShares: "1000",
  members: [
    { address: addr(0xa1), shares: "750", pendingWei: "2625000000000000000", releasedWei: "0" },
    { address: addr(0xa2), shares: "250", pendingWei: "875000000000000000", releasedWei: "1000000000000000000" },
  ], ...more,
});

export const skills = (more = {}) => ({
  ok: true, chainId: CHAIN, count: "2",
  skills: [
    { skillId: "2", parentId: "1", owner: addr(0xb2), versions: "0" },
    { skillId: "1", parentId: "0", owner: addr(0xb1), versions: "3", versionHash: hash(1), contentHash: hash(2), uri: "https://skills.example/swap.v1.json", riskTier: 2, publishedAt: new Date(Date.now() - 7200_000).toISOString(), publisher: addr(0xb1) },
  ], ...more,
});

/** A receipt of a trace; agrees null: the log can't tell. */
export const receipt = (agrees, why, more = {}) => ({
  traceIdHash: hash(3), isRecorded: true, chainId: CHAIN, contract: addr(4), agrees, why,
  receipt: { traceIdHash: hash(3), contentHash: hash(4), subject: hash(5), uri: "", recordedAt: String(Math.floor(Date.now() / 1000) - 60), recorder: addr(0xc1), ...more },
});

/** The line of the log that tells that a receipt was recorded. */
export const recorded = (traceId, more = {}) => event("v2.receipt.recorded", { dryRun: false, result: { traceId, traceIdHash: hash(3), txHash: hash(9) }, ...more });

/** A server whose chain says what says() was given last. */
export async function chainServer(t) {
  const dir = await stateDir(t);
  const server = await startServer(t, dir, "127.0.0.1:0", ["--v2"], { small: true });
  const waiting = [];
  createInterface({ input: server.child.stdout }).on("line", (l) => waiting.shift()?.(JSON.parse(l)));
  const order = async (o) => {
    const answer = new Promise((resolve) => waiting.push(resolve));
    server.child.stdin.write(`${JSON.stringify(o)}\n`);
    const a = await answer;
    if (a.error) throw new Error(a.error);
    return a;
  };
  let said = { config: config(), vault: vault(), skills: skills(), receipts: {}, fail: {} };
  const says = (more = {}) => order((said = { ...said, ...more }));
  await says();
  return { ...server, says, asked: async () => (await order({ asked: true })).asked ?? [] };
}

/** A page of what is on chain. */
export async function chainPage(t, server, options) {
  const page = await openPage(t, `${server.url}/#view=chain`, options);
  await live(page);
  return page;
}
