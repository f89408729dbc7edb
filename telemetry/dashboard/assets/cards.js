// Cards: what the events add up to, and filters at once.
import { modeWord } from "./describe.js";
import { $, el } from "./dom.js";
import { fromBase, number, plural } from "./format.js";

const kinds = [
  ["real", "modes", (s) => [s.real.buys ? `${fromBase(String(s.real.wei))} APE` : number(s.real.events), s.real.buys ? `${plural(s.real.buys, "token")} bought` : "events on a real chain"]],
  ["sandbox", "modes", (s) => [s.sandbox.buys ? `${fromBase(String(s.sandbox.wei))} APE` : number(s.sandbox.events), s.sandbox.buys ? `${plural(s.sandbox.buys, "purchase")}, nothing real` : "events, nothing real"]],
  ["dry", "modes", (s) => [number(s.dry.events), "on a real chain, nothing sent"]],
  ["refused", "outcomes", (s) => [number(s.refused), "by policy"]],
  ["failed", "outcomes", (s) => [number(s.failed), "failures"]],
];
const word = { ...modeWord, refused: "Refused", failed: "Failed" };

export class Cards {
  constructor(onToggle) {
    this.nodes = kinds.map(([kind, set]) => {
      const node = el(`button.card.${kind}`, { type: "button", "aria-pressed": "false", onclick: () => onToggle(set, kind) },
        el("span", null, word[kind]), el("b"), el("small"));
      $("cards").append(node);
      return node;
    });
  }

  draw(sums, filter) {
    kinds.forEach(([kind, set, read], i) => {
      const [big, small] = read(sums);
      const [, b, s] = this.nodes[i].children;
      if (b.textContent !== big) b.textContent = big;
      if (s.textContent !== small) s.textContent = small;
      this.nodes[i].setAttribute("aria-pressed", filter[set].has(kind));
    });
  }
}
