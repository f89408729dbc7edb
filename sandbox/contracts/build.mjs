// Compiles the sandbox's own contracts and takes OpenSea's own Seaport from its npm
// package, so that both can be made again from package-lock.json:
//
//   make contracts    (npm ci, node build.mjs, go run ./tools/bindgen)
//
// Compiling needs no network: imports are read from node_modules.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const solc = require("solc");

const read = (...path) => readFileSync(join(here, ...path), "utf8");
const write = (name, text) => writeFileSync(join(here, name), text + "\n");
const hex = (bytecode) => bytecode.replace(/^0x/, "");

function compile(name) {
  const file = `${name}.sol`;
  const input = {
    language: "Solidity",
    sources: { [file]: { content: read(file) } },
    settings: {
      evmVersion: "cancun",
      optimizer: { enabled: true, runs: 200 },
      // Without a hash of the metadata, a comment doesn't change the bytecode.
      metadata: { bytecodeHash: "none" },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const find = (path) => ({ contents: read("node_modules", path) });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: find }));
  const problems = (output.errors ?? []).map((e) => e.formattedMessage);
  if (problems.length > 0) {
    throw new Error(problems.join("\n"));
  }
  const contract = output.contracts[file][name];
  write(`${name}.abi.json`, JSON.stringify(contract.abi));
  write(`${name}.bin`, hex(contract.evm.bytecode.object));
}

function artifact(path) {
  return JSON.parse(read("node_modules/@opensea/seaport-js/src/artifacts", path));
}

const seaport = artifact("seaport/contracts/Seaport.sol/Seaport.json");
write("Seaport.abi.json", JSON.stringify(seaport.abi));
write("Seaport.bin", hex(seaport.bytecode));
const controller = artifact(
  "seaport/contracts/conduit/ConduitController.sol/LocalConduitController.json",
);
write("ConduitController.bin", hex(controller.bytecode));

for (const name of ["DemoCollection", "DemoToken", "Depository"]) {
  compile(name);
}
console.log(`contracts: built with solc ${solc.version()}`);
