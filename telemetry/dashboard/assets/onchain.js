// What is on chain: the contracts, the vault's shares, skills, and receipts held
// against the log. It is asked of the server while it is looked at, and not else:
// each look costs the node something.
import { read } from "./api.js";
import { contracts, given, headline, receipt, skills, usable, vault } from "./chainparts.js";
import { $, el, marked } from "./dom.js";
import { visible } from "./format.js";
import { Receipts } from "./receipts.js";
import { go, onView, view } from "./views.js";

const EVERY = 30_000; // a look without an event
const SOON = 300; // between an event and the look at what it did
const KEPT = 2200; // how long the server may answer from memory

/** An answer, or why there is none. */
const settle = (asked) => asked.then((answer) => ({ answer }), (error) => ({ error }));

export class OnChain {
  /** onTrace(id): somebody wants the events of a trace. */
  constructor({ onTrace }) {
    this.onTrace = onTrace;
    this.receipts = new Receipts(() => this.drawReceipts());
    this.heardAt = 0;
    this.signs = new Map(); // what each part shows
    $("view-chain").addEventListener("click", () => this.shown || this.go(true));
    $("chain-again").addEventListener("click", () => {
      this.receipts.again();
      this.refresh();
    });
    $("chain-ask").addEventListener("submit", (e) => {
      e.preventDefault();
      this.ask($("chain-trace").value.trim());
    });
    document.addEventListener("visibilitychange", () => document.hidden || this.refresh());
    onView(() => this.shown && this.refresh());
  }

  get shown() {
    return view() === "chain";
  }

  go(on) {
    if (on) go("#view=chain");
    else if (this.shown) go();
  }

  /** A line of the log came; live says that it is new for sure. */
  heard(raw, live) {
    if (!raw.includes('"eventType":"v2.')) return;
    this.receipts.told(raw, this.config?.answer?.chainId, live);
    this.heardAt = Date.now();
    this.soon(SOON);
  }

  /** Who is logged in changed. */
  who() {
    this.refresh();
  }

  forget() {
    this.turn = (this.turn ?? 0) + 1;
    this.config = this.vault = this.skills = undefined;
    this.receipts.forget();
    this.draw();
  }

  soon(ms) {
    const due = Date.now() + ms; // events that come one after the other put nothing off
    if (!this.shown || (this.timer && this.due <= due)) return;
    clearTimeout(this.timer);
    this.due = due;
    this.timer = setTimeout(() => this.refresh(), ms);
  }

  async refresh() {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.shown || document.hidden) return;
    if (this.asking) return void (this.askAgain = true);
    this.asking = true;
    const turn = this.turn, began = Date.now();
    try {
      const config = await settle(read("config"));
      if (turn !== this.turn) return;
      this.config = config;
      this.draw();
      const can = (...names) => names.every((n) => usable(config.answer, n));
      const ask = (path, ...names) => (can(...names) ? settle(read(path)) : undefined);
      const [vault, skills] = await Promise.all([ask("vault", "PodVault"), ask("skills", "SkillNFT", "SkillRegistry"), config.answer && this.receipts.list(config.answer.chainId)]);
      if (turn !== this.turn) return;
      Object.assign(this, { vault, skills });
      this.draw();
      if (can("ReceiptRegistry")) await this.receipts.look();
    } finally {
      this.asking = false;
      const stale = this.heardAt + KEPT - began; // what came since may not be in these answers
      this.soon(this.askAgain ? SOON : stale > 0 ? Math.max(SOON, stale) : EVERY);
      this.askAgain = false;
    }
  }

  async ask(trace) {
    if (!trace) return $("chain-trace").focus();
    const r = this.receipts.add(trace);
    this.receipts.all = [r, ...this.receipts.all.filter((x) => x !== r)];
    await this.receipts.ask(r);
  }

  // Drawing

  draw() {
    const { answer, error } = this.config ?? {};
    $("chain-title").textContent = visible(error ? "The chain can't be read" : answer ? headline(answer) : "Asking the chain");
    $("chain-trouble").textContent = visible(error ? `${error.message}${error.hint ? `. ${error.hint}` : ""}` : "");
    $("chain").classList.toggle("bare", !answer);
    this.part("contracts", answer, () => (answer ? contracts(answer) : []));
    this.said("vault", this.vault, answer && !usable(answer, "PodVault") ? "There is no vault here." : "", (v) => vault(v));
    this.said("skills", this.skills, answer && !(usable(answer, "SkillNFT") && usable(answer, "SkillRegistry")) ? "There are no skills here." : "", (s) => skills(s, Date.now()));
    $("chain-contracts-more").textContent = answer ? visible(given(answer)) : "";
    $("chain-skills-more").textContent = this.skills?.answer ? visible(`${String(this.skills.answer.count).slice(0, 80)} in all`) : "";
    this.drawReceipts();
  }

  /** A part that is asked for by itself. */
  said(name, got, absent, draw) {
    const body = absent ? () => el("p.nothing-yet", null, absent)
      : got?.error ? () => el("p.bad", { role: "alert" }, marked(`${got.error.message}${got.error.hint ? `. ${got.error.hint}` : ""}`, 400))
        : got?.answer ? () => draw(got.answer) : () => el("p.nothing-yet", null, "Asking the chain.");
    this.part(name, [absent, got?.error?.message, got?.answer], body);
  }

  drawReceipts() {
    const all = this.receipts.all, { answer } = this.config ?? {};
    const absent = answer && !usable(answer, "ReceiptRegistry");
    $("chain-ask").hidden = Boolean(absent);
    this.part("receipts", [absent, all.map((r) => [r.trace, r.looking, r.answer, r.error])], () => {
      if (absent) return el("p.nothing-yet", null, "There is no registry of receipts here.");
      if (!all.length) return el("p.nothing-yet", null, "The log tells of no receipt: ", el("code", null, "ape-claw v2 receipt record"));
      return el("ul.lines", null, all.map((r) => receipt(r, { now: Date.now(), onTrace: this.onTrace, onLook: () => this.receipts.ask(r) })));
    });
  }

  /** Draws a part anew when what it shows has changed; who is in it stays there. */
  part(name, of, draw) {
    const sign = JSON.stringify(of ?? null);
    if (this.signs.get(name) === sign) return;
    this.signs.set(name, sign);
    const box = $(`chain-${name}`);
    const key = box.contains(document.activeElement) ? document.activeElement.closest("[data-key]")?.dataset.key : "";
    box.replaceChildren(...[draw()].flat().filter(Boolean));
    if (!key) return;
    const again = [...box.querySelectorAll("[data-key]")].find((n) => n.dataset.key === key);
    (again?.querySelector("summary") ?? again)?.focus();
  }
}
