// Compiles what the torture tests need: the attackers, and the contracts a
// second time without the optimizer, with source maps and the ranges of their
// statements, for measuring coverage. Part of `make contracts`.
//
// With --check nothing is written: it fails if what would be written differs
// from what is there.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const there = dirname(here);
const require = createRequire(join(there, "build.mjs"));
const solc = require("solc");

const find = (path) => ({ contents: readFileSync(join(there, "node_modules", path), "utf8") });
const read = (dir) =>
  Object.fromEntries(
    readdirSync(dir)
      .filter((name) => name.endsWith(".sol"))
      .sort()
      .map((name) => [name, { content: readFileSync(join(dir, name), "utf8") }]),
  );

function compile(sources, optimizer, selection) {
  const input = {
    language: "Solidity",
    sources,
    settings: {
      evmVersion: "cancun",
      optimizer,
      metadata: { bytecodeHash: "none" },
      outputSelection: { "*": selection },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: find }));
  const errors = (output.errors ?? []).filter((e) => e.severity === "error");
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join("\n"));
  return output;
}

// What is a statement for the measurement: a leaf that does something. What
// holds other statements is run when they are; a placeholder is the function's.
const leaves = new Set([
  "ExpressionStatement", "VariableDeclarationStatement", "Return", "RevertStatement", "EmitStatement",
  "InlineAssembly",
]);

function statements(ast, name) {
  const found = [];
  const walk = (node, contract, fn) => {
    if (node === null || typeof node !== "object") return;
    if (node.nodeType === "ContractDefinition") contract = node.name;
    if (node.nodeType === "FunctionDefinition") fn = node.name || node.kind;
    const add = (src) => {
      const [start, length] = src.split(":").map(Number);
      found.push({ file: name, start, length, in: `${contract}.${fn}` });
    };
    if (leaves.has(node.nodeType)) add(node.src);
    if (node.nodeType === "IfStatement" || node.nodeType === "ForStatement") add(node.condition.src);
    for (const value of Object.values(node)) walk(value, contract, fn);
  };
  walk(ast, "", "");
  return found;
}

const ours = read(there);
const hostile = read(here);
const attackers = compile(hostile, { enabled: true, runs: 200 }, { "*": ["abi", "evm.bytecode.object"] });
const plain = compile(ours, { enabled: false }, {
  "": ["ast"],
  "*": ["evm.bytecode.object", "evm.bytecode.sourceMap", "evm.deployedBytecode.object", "evm.deployedBytecode.sourceMap"],
});

const sum = (text) => createHash("sha256").update(text).digest("hex");
const out = { sources: {}, attackers: {}, files: {}, contracts: {}, statements: [] };
for (const [name, { content }] of Object.entries(ours)) out.sources[`../${name}`] = sum(content);
for (const [name, { content }] of Object.entries(hostile)) out.sources[name] = sum(content);
for (const name of Object.keys(hostile)) {
  const contract = attackers.contracts[name][name.replace(/\.sol$/, "")];
  out.attackers[name.replace(/\.sol$/, "")] = { abi: contract.abi, code: contract.evm.bytecode.object };
}
for (const name of Object.keys(ours)) {
  const contract = plain.contracts[name][name.replace(/\.sol$/, "")];
  out.files[plain.sources[name].id] = name;
  out.statements.push(...statements(plain.sources[name].ast, name));
  if (contract.evm.bytecode.object === "") continue; // an interface, or abstract
  out.contracts[name.replace(/\.sol$/, "")] = {
    creation: { code: contract.evm.bytecode.object, map: contract.evm.bytecode.sourceMap },
    runtime: { code: contract.evm.deployedBytecode.object, map: contract.evm.deployedBytecode.sourceMap },
  };
}

const file = join(here, "testdata", "build.json.gz");
const text = JSON.stringify(out);
if (process.argv.includes("--check")) {
  let old = "";
  try {
    old = gunzipSync(readFileSync(file)).toString();
  } catch {
    // Not there: as stale as one with something else in it.
  }
  if (old !== text) {
    console.error("contracts/torture: out of date; run: make contracts");
    process.exit(1);
  }
} else {
  writeFileSync(file, gzipSync(text, { level: 9 }));
}
