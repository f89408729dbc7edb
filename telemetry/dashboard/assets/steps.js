// What a person does about an action: approve it, for a high risk in three steps,
// or reject it. The server decides whether what was typed fits; nothing here does.
import { at, post } from "./api.js";
import { $, el, icon, marked } from "./dom.js";
import { hex, list, riskOf } from "./card.js";

const mismatch = "What the model says contradicts the facts. I decide by the facts";
const ascii = /^[\x20-\x7e]*$/;

export class Steps {
  /**
   * onProof() resolves to whether it is worth asking: the passphrase was given, or
   * the server will say what lacks; onReauth(refusal) to whether it was given now;
   * onCard(action) gets an action that is newer than the one shown; onDone(action) one that is decided.
   */
  constructor({ onProof, onReauth, onCard, onDone }) {
    Object.assign(this, { onProof, onReauth, onCard, onDone });
    this.box = el("section.decide", { "aria-label": "Your decision" });
    this.action = null;
  }

  /** The forms for an action; what was typed for the same one stays. */
  show(action) {
    const same = this.action?.id === action.id && this.action.state === action.state;
    this.action = action;
    if (!same) this.choose();
    return this.box;
  }

  /** Forgets what it was about, and what was typed. */
  drop() {
    this.action = null;
    this.step = undefined;
    this.box.replaceChildren();
  }

  /** Whether somebody is typing here. */
  get busy() {
    return this.step !== undefined && this.step !== "choose";
  }

  choose() {
    this.step = "choose";
    this.challenge = null;
    if (this.action.state !== "proposed") return this.box.replaceChildren();
    this.say = el("p.bad", { role: "alert" });
    this.box.replaceChildren(
      el("div.choices", null,
        el("button.button.primary.big", { type: "button", id: "approve", onclick: () => this.begin() }, icon("ok"), riskOf(this.action) === "high" ? "Approve…" : "Approve"),
        el("button.button.big", { type: "button", id: "reject", onclick: () => this.refuse() }, icon("failed"), "Reject…"),
        el("p.fine", null, riskOf(this.action) === "high" ? "Nothing happens yet: three steps come first." : "It is executed at once.")),
      this.say);
  }

  /** Looks again: the facts are computed anew before anybody approves by them. */
  async begin() {
    const id = this.action.id;
    this.wait("Computing the facts again…");
    if (!(await this.onProof()) || this.action?.id !== id) return this.action?.id === id && (this.choose(), $("approve")?.focus());
    const answer = await this.ask(() => post(`actions/${at(id)}/challenge`, {}));
    if (!answer || this.action?.id !== id) return;
    const card = answer.action;
    this.onCard(card, true);
    this.action = card;
    this.challenge = card.challenge ?? null;
    if (riskOf(card) === "high") return this.form();
    if (!this.contradicted) return this.send({ factsHash: card.factsHash });
    this.despite();
  }

  /** Whether the model's words contradict the facts: that takes one more confirmation. */
  get contradicted() {
    return this.challenge?.mismatch === true || this.action.claimCheck?.level === "critical";
  }

  /** The one confirmation that a small risk takes, when the model's words do not fit. */
  despite() {
    this.step = "form";
    this.say = el("p.bad", { role: "alert" });
    const go = el("button.button.danger.big", { type: "submit", id: "execute", disabled: true }, "Approve and execute");
    const tick = el("input", { id: "ack-mismatch", type: "checkbox", oninput: () => (go.disabled = !tick.checked) });
    this.box.replaceChildren(el("form.three-steps", { onsubmit: (e) => (e.preventDefault(), this.send({ factsHash: this.action.factsHash, mismatch: tick.checked })) },
      el("label.tick.bad", null, tick, mismatch), this.say, this.ends("approve", go)));
    tick.focus();
  }

  ends(back, go) {
    return el("div.ends", null, el("button.button.quiet", { type: "button", onclick: () => (this.choose(), $(back)?.focus()) }, back === "approve" ? "Not now" : "Back"), go);
  }

  form() {
    const { action: a, challenge: c } = this;
    const place = (name) => (list(a.facts).findIndex((f) => f.name === name) + 1 || Infinity);
    const names = [...list(c?.identifiers)].sort((x, y) => place(x) - place(y)); // as they stand above
    this.step = "form";
    const label = (name) => list(a.facts).find((f) => f.name === name)?.label ?? name;
    this.say = el("p.bad", { role: "alert" });
    const odd = names.filter((n) => !ascii.test(String(a.identifiers?.[n] ?? "")));
    const go = el("button.button.danger.big", { type: "submit", id: "execute", disabled: true }, "Approve and execute");
    const whole = () => {
      const boxes = [...form.querySelectorAll("input[type=checkbox]")].every((i) => i.checked);
      const fields = [...form.querySelectorAll("input[type=text]")].every((i) => i.value !== "");
      go.disabled = !(boxes && fields);
      for (const li of form.querySelectorAll("ol.three > li")) li.classList.toggle("done", [...li.querySelectorAll("input")].every((i) => (i.type === "checkbox" ? i.checked : i.value !== "")));
    };
    const field = (id, words) => el("label.type", null, el("span", null, words), el("input", { id, type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 500 }));
    const form = el("form.three-steps", { id: "three", autocomplete: "off", oninput: whole, onsubmit: (e) => (e.preventDefault(), this.submit(form, names)) },
      el("h3", null, "Three steps", el("small", null, "bound to the facts above, for five minutes")),
      el("ol.three", null,
        el("li", null, el("h4", null, "Understand"),
          el("p", null, hex(String(a.impact ?? ""), 600)),
          el("label.tick", null, el("input", { id: "ack", type: "checkbox" }), "I have read what this does"),
          this.contradicted ? el("label.tick.bad", null, el("input", { id: "ack-mismatch", type: "checkbox" }), mismatch) : null),
        el("li", null, el("h4", null, "Retype"),
          el("p.fine", null, "Exactly, character by character, after a look at the facts above."),
          odd.length ? el("p.warn-line", null, icon("warn"), "It has characters beyond plain Latin ones: compare the contract address before you go on.") : null,
          names.map((n) => field(`id-${n}`, [...marked(String(label(n)), 80), el("code.phrase", null, marked(String(a.identifiers?.[n] ?? ""), 300))]))),
        el("li", null, el("h4", null, "Confirm"),
          el("p", null, "Type: ", el("code.phrase", { id: "phrase" }, marked(String(c?.phrase ?? ""), 300))),
          field("typed-phrase", "Phrase"))),
      this.say,
      this.ends("approve", go));
    this.box.replaceChildren(form);
    form.querySelector("input").focus();
  }

  submit(form, names) {
    const value = (id) => form.querySelector(`[id="${CSS.escape(id)}"]`).value;
    this.send({
      challenge: this.challenge.id, factsHash: this.challenge.factsHash,
      acknowledged: form.querySelector("#ack").checked,
      mismatch: form.querySelector("#ack-mismatch")?.checked === true,
      identifiers: Object.fromEntries(names.map((n) => [n, value(`id-${n}`)])),
      phrase: value("typed-phrase"),
    });
  }

  async send(body) {
    const id = this.action.id, go = this.box.querySelector("#execute");
    if (go) go.disabled = true;
    const answer = await this.ask(() => post(`actions/${at(id)}/approve`, body));
    if (answer) {
      this.step = "choose";
      return this.onDone(answer.action);
    }
    if (!go?.isConnected) return;
    // A challenge serves one try: the next one needs another, of the same facts.
    const again = this.challenge ? await post(`actions/${at(id)}/challenge`, {}).catch(() => null) : null;
    if (again && this.action?.id === id && again.action.factsHash === this.action.factsHash) this.challenge = again.action.challenge;
    go.disabled = false;
  }

  refuse() {
    this.step = "reject";
    this.say = el("p.bad", { role: "alert" });
    const input = el("input", { id: "reason", type: "text", maxlength: 500, autocomplete: "off", placeholder: "too expensive, not now, not this one" });
    const form = el("form.reject", { autocomplete: "off", onsubmit: (e) => (e.preventDefault(), this.turnDown(input.value.trim())) },
      el("label.type", null, el("span", null, "Reason ", el("small", null, "the model reads it in its next turn")), input),
      this.say,
      this.ends("reject", el("button.button.primary", { type: "submit", id: "reject-go" }, "Reject")));
    this.box.replaceChildren(form);
    input.focus();
  }

  async turnDown(reason) {
    const id = this.action.id;
    const answer = await this.ask(() => post(`actions/${at(id)}/reject`, { reason }));
    if (!answer) return;
    this.step = "choose";
    this.onDone(answer.action);
  }

  wait(words) {
    this.step = "wait";
    this.say = el("p.bad", { role: "alert" });
    this.box.replaceChildren(el("p.waiting", { role: "status" }, icon("turning"), words), this.say);
  }

  /** Makes a call, and once more when the passphrase was all that lacked. undefined: refused, and said. */
  async ask(work) {
    const was = this.step, id = this.action.id;
    this.say.textContent = "";
    for (let again = false; ; again = true) {
      try {
        return await work();
      } catch (e) {
        if (!again && e.code === "reauth_required" && (await this.onReauth(e))) continue;
        if (this.action?.id !== id) return undefined;
        const stale = ["action_stale", "action_expired", "action_not_pending"].includes(e.code);
        if (was === "wait" || stale) this.choose();
        this.say.replaceChildren(...marked(e.message, 400), ...(e.hint ? [el("span.todo", null, marked(e.hint, 400))] : []));
        if (stale) this.onCard(null, true);
        return undefined;
      }
    }
  }
}
