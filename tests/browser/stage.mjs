// Approvals for tests: the small server with --ai, and orders to it.
import { createInterface } from "node:readline";
import { openPage, startServer, stateDir, live, until } from "./harness.mjs";

export const PASS = "correct horse battery";

/** A card as a command of ours would make it. */
export function buy({ tokenId = "12", price = "12.5", name = "Demo Apes", collection = "demo-apes", expires = 600, more = {} } = {}) {
  return {
    title: `Buy ${name} #${tokenId} for ${price} APE`,
    impact: `Sends a transaction that pays up to ${price} APE from the account and buys the token. It can't be undone.`,
    facts: [
      { name: "collection", label: "collection", value: collection },
      { name: "contract", label: "contract", value: "0x84d6A9d2b95cE2b17D2c9e6B4d16C5cF0aB3e91b" },
      { name: "tokenId", label: "token", value: tokenId },
      { name: "priceApe", label: "price", value: price },
      { name: "seller", label: "seller", value: "0x5A3f0dC41bE0a0bC1f3D8D1b0B6a7C0f9d1e2A34" },
      { name: "chain", label: "chain", value: "Sandbox ApeChain (7733139)" },
      { name: "quoteExpires", label: "quote ends", value: new Date(Date.now() + expires * 1000).toISOString().replace(/\.\d+/, "") },
      { name: "balance", label: "balance", value: "84.2 APE", volatile: true },
      { name: "fee", label: "network fee, at most", value: "0.0031 APE", volatile: true },
      { name: "budget", label: "left of the daily cap", value: "40 APE before, 27.5 APE after", volatile: true },
    ],
    identifiers: { collection, tokenId, priceApe: price },
    phrase: `BUY ${collection} #${tokenId} ${price} APE`,
    binding: { profile: "sandbox", chainId: "7733139", account: "0x264f3BCe0a7F7C3A2b3e3A3C1B2d1d3F5a6B3d4d", stateDir: "state" },
    spends: [{ asset: "7733139/native", base: "12500000000000000000", shown: `${price} APE` }],
    traceId: `trace_${tokenId}`, reference: `q_${tokenId}`, untrusted: ["marketplace"],
    expires: new Date(Date.now() + expires * 1000).toISOString(),
    ...more,
  };
}

export const halt = (reason = "the marketplace looks odd") => ({
  title: "Halt all spending", impact: "Nothing is spent from this home until a person lifts it.",
  facts: [{ name: "reason", label: "reason", value: reason }], identifiers: {}, phrase: "", binding: {}, spends: [], traceId: "trace_halt",
});

/** A server with approvals, told what to do; {url, token, propose(), order()}. */
export async function stage(t, { passphrase = PASS } = {}) {
  const dir = await stateDir(t);
  const server = await startServer(t, dir, "127.0.0.1:0", ["--ai"], { small: true });
  const waiting = [];
  createInterface({ input: server.child.stdout }).on("line", (l) => waiting.shift()?.(JSON.parse(l)));
  const order = async (o) => {
    const answer = new Promise((resolve) => waiting.push(resolve));
    server.child.stdin.write(`${JSON.stringify(o)}\n`);
    const a = await answer;
    if (a.error) throw new Error(`${o.do}: ${a.error}`);
    return a;
  };
  if (passphrase) await order({ do: "passphrase", passphrase });
  let n = 0;
  return {
    ...server, order,
    async propose({ tool = "nft_buy", card = buy(), claim = "", taint = [], origin = "conn:main", args = { n: ++n } } = {}) {
      return (await order({ do: "propose", tool, card, claim, taint, origin, args })).id;
    },
    change: (args, card) => order({ do: "change", args, card }),
    end: (ending) => order({ do: "end", ending }),
  };
}

/** A page of the inbox, logged in as the operator. */
export async function inbox(t, server, options) {
  const page = await openPage(t, `${server.url}/#view=approvals`, options);
  await live(page);
  await page.click("#inbox-login");
  await page.fill("#login-token", server.token);
  await page.click("#login-go");
  await page.waitForSelector("#inbox-open:not([hidden])");
  return page;
}

/** Opens a request, by its title. */
export async function choose(page, title) {
  await page.locator("#inbox .item", { hasText: title }).first().click();
  await page.waitForSelector("#card-title");
}

/** Gives the passphrase that is asked for. */
export async function prove(page, pass = PASS) {
  await page.waitForSelector("#reauth[open]");
  await page.fill("#reauth-pass", pass);
  await page.click("#reauth-go");
}

/** Types the three steps; over overrides single fields. */
export async function threeSteps(page, card, over = {}) {
  await page.waitForSelector("#three");
  await page.check("#ack");
  for (const [name, value] of Object.entries({ ...card.identifiers, ...over })) if (name in card.identifiers) await page.fill(`[id="id-${name}"]`, value);
  await page.fill("#typed-phrase", over.phrase ?? card.phrase);
}

export const state = (page, word) => until(`the state ${word}`, async () => (await page.locator("#card .state-badge").first().textContent()) === word);
