// Compiles the v2 contracts, so that they can be made again from
// package-lock.json:
//
//   make contracts    (npm ci, node build.mjs, go run ./tools/bindgen)
//
// Compiling needs no network: imports are read from node_modules. With --check
// nothing is written: it fails if what would be written differs from what is
// there.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const solc = require("solc");
const check = process.argv.includes("--check");

const read = (...path) => readFileSync(join(here, ...path), "utf8");
const fixtures = "testdata/Fixtures.sol"; // what the tests deploy beside them
const sources = [...readdirSync(here).filter((name) => name.endsWith(".sol")).sort(), fixtures];

// What is deployed; the other sources are what these import.
const names = [
  "SkillNFT",
  "SkillRegistry",
  "IntentRegistry",
  "ReceiptRegistry",
  "PolicyEngine",
  "SwapModule",
  "BridgeModule",
  "NftBuyModule",
  "AgentAccount",
  "PodVault",
  "MockTarget",
];

const settings = {
  evmVersion: "cancun",
  optimizer: { enabled: true, runs: 200 },
  // Without a hash of the metadata, a comment doesn't change the bytecode.
  metadata: { bytecodeHash: "none" },
  outputSelection: {
    "*": {
      "*": [
        "abi",
        "evm.bytecode.object",
        "evm.deployedBytecode.object",
        "evm.deployedBytecode.immutableReferences",
      ],
    },
  },
};

const stale = [];
const sums = new Map();
const note = (name, text) => sums.set(name, createHash("sha256").update(text).digest("hex"));

function put(name, text) {
  if (!check) {
    writeFileSync(join(here, name), text);
    return;
  }
  let there = "";
  try {
    there = read(name);
  } catch {
    // Not there: as stale as one with something else in it.
  }
  if (there !== text) stale.push(name);
}

function write(name, text) {
  note(name, text + "\n");
  put(name, text + "\n");
}

const input = {
  language: "Solidity",
  sources: Object.fromEntries(sources.map((name) => [name, { content: read(name) }])),
  settings,
};
const find = (path) => ({ contents: read("node_modules", path) });
const output = JSON.parse(solc.compile(JSON.stringify(input), { import: find }));
// 2394 asks whether transient storage is cleared: OpenZeppelin's guard does.
const problems = (output.errors ?? []).filter((e) => e.errorCode !== "2394").map((e) => e.formattedMessage);
if (problems.length > 0) {
  throw new Error(problems.join("\n"));
}

for (const name of names) {
  const { abi, evm } = output.contracts[`${name}.sol`][name];
  const immutables = Object.values(evm.deployedBytecode.immutableReferences ?? {})
    .flat()
    .map(({ start, length }) => ({ start, length }))
    .sort((a, b) => a.start - b.start);
  write(`${name}.abi.json`, JSON.stringify(abi));
  write(`${name}.bin`, evm.bytecode.object);
  write(`${name}.runtime.json`, JSON.stringify({ code: evm.deployedBytecode.object, immutables }));
}

for (const [name, { abi, evm }] of Object.entries(output.contracts[fixtures])) {
  write(`testdata/${name}.json`, JSON.stringify({ abi, bin: evm.bytecode.object }));
}

// What was made, and what from: a test compares the sums with what is there, and
// so needs no compiler to see that something is stale.
for (const name of [...sources, "build.mjs", "package.json", "package-lock.json"]) note(name, read(name));
put("build.sha256", [...sums.keys()].sort().map((name) => `${sums.get(name)}  ${name}\n`).join(""));

if (stale.length > 0) {
  console.error(`contracts: out of date: ${stale.join(", ")}; run: make contracts`);
  process.exit(1);
}
console.log(`contracts: ${check ? "as built" : "built"} with solc ${solc.version()}`);
