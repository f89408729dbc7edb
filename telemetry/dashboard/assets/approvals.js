// The inbox of what waits for a person. The events only tell that something
// changed: what is shown, and decided by, is asked of the server.
import { at, get, post } from "./api.js";
import { $, el, icon, marked, toast } from "./dom.js";
import { ago, asker, badge, card, checks, left, list, riskOf, share, stateOf, stateWord } from "./card.js";
import { clip, clock, plural, visible } from "./format.js";
import { Steps } from "./steps.js";
import { go, onView, view } from "./views.js";

const SOON = 150; // ms between an event and the look at what it is about
const EVERY = 15_000; // a look without an event, since a stream can be cut
const WORKING = 1500; // while something executes, or should have ended
const HURRY = 60_000; // left, from which on the countdown is loud

/** A line of the kill switch, for people: why, and since when. */
function killedBy(line) {
  const [, why, ts] = /^(?:ai: )?(.*?)(?: \((\d{4}-[^)]*Z)\))?$/s.exec(line);
  return clip(why, 200) + (ts ? `, since ${clock(Date.parse(ts)).replace(/\.\d+$/, "")}` : "");
}

export class Approvals {
  constructor({ session, onTrace, onShown }) {
    this.session = session;
    this.onTrace = onTrace;
    this.onShown = onShown;
    this.actions = [];
    this.chosen = "";
    this.whole = new Map(); // id -> the action as it was looked at by itself
    this.operator = false;
    this.killed = [];
    this.offset = 0; // ms that the server's clock is ahead
    this.steps = new Steps({
      onProof: () => this.proof(),
      onReauth: (e) => this.reauth(e),
      onCard: (a, fresh) => (a ? this.keep(a, fresh) : this.look()),
      onDone: (a) => {
        this.keep(a);
        toast(a.state === "rejected" ? "Rejected" : "Approved: it is being executed");
        $("card-title")?.focus();
        this.soon(WORKING);
      },
    });
    $("view-approvals").addEventListener("click", () => this.go(true));
    $("inbox-login").addEventListener("click", () => session.open(true));
    $("card-back").addEventListener("click", () => this.choose("", true));
    $("kill-open").addEventListener("click", () => this.askKill());
    $("banner-kill-lift").addEventListener("click", () => this.lift());
    $("kill-form").addEventListener("submit", (e) => (e.preventDefault(), this.kill()));
    $("kill-cancel").addEventListener("click", () => $("kill").close());
    $("reauth-form").addEventListener("submit", (e) => (e.preventDefault(), this.prove()));
    $("reauth-cancel").addEventListener("click", () => $("reauth").close());
    $("reauth").addEventListener("close", () => {
      $("reauth-pass").value = "";
      this.given?.(this.proved === true);
      this.given = null;
    });
    onView(() => this.route());
    document.addEventListener("visibilitychange", () => document.hidden || this.operator && this.soon(0));
    setInterval(() => this.tick(), 1000);
  }

  get now() {
    return Date.now() + this.offset;
  }

  // Where the page is

  get shown() {
    return view() === "approvals";
  }

  route() {
    const on = this.shown;
    const id = on ? (new URLSearchParams(location.hash.slice(1)).get("action") ?? "") : "";
    if (id !== this.chosen) {
      this.chosen = id;
      this.drawn = "";
      if (id) this.look(id);
    }
    this.draw();
    if (on && this.operator) this.soon(0);
    if (!on) this.onShown();
  }

  go(on, id = this.chosen) {
    if (on) go(`#view=approvals${id ? `&action=${encodeURIComponent(id)}` : ""}`);
    else if (this.shown) go();
  }

  choose(id, quiet) {
    if (this.steps.busy && this.chosen && id !== this.chosen) this.steps.choose();
    history.replaceState(null, "", `#view=approvals${id ? `&action=${encodeURIComponent(id)}` : ""}`);
    this.route();
    if (quiet) $("inbox").querySelector("button")?.focus();
    else $("card-title")?.focus();
  }

  move(by) {
    const all = this.sorted();
    if (!all.length) return;
    const i = all.findIndex((a) => a.id === this.chosen);
    const next = all[Math.min(all.length - 1, Math.max(0, i < 0 ? 0 : i + by))];
    this.choose(next.id);
    $("inbox").querySelector("[aria-current=true]")?.focus();
  }

  // What the server says

  /** Who is logged in changed. */
  async who(agentId) {
    const was = this.operator;
    this.operator = agentId === "operator";
    if (!this.operator) {
      this.actions = [];
      this.whole.clear();
      this.killed = [];
    }
    if (this.operator !== was) {
      this.drawn = this.inboxSign = "";
      this.fresh = false;
      this.steps.drop();
      $("inbox").replaceChildren();
      $("card").replaceChildren();
    }
    this.draw();
    if (this.operator) await this.refresh();
  }

  /** A line of the log came: it may say that something is to be asked. Nothing else of it is used. */
  heard(raw) {
    const [, type] = /"eventType":"ai\.(action|kill|grant)\./.exec(raw) ?? [];
    if (!type) return;
    this.noticed ||= type === "action";
    if (this.operator) this.soon(SOON);
    else this.counts();
  }

  soon(ms) {
    const when = Date.now() + ms;
    if (this.timer && this.when <= when) return;
    clearTimeout(this.timer);
    this.when = when;
    this.timer = setTimeout(() => ((this.timer = 0), this.refresh()), ms);
  }

  async refresh() {
    if (!this.operator) return;
    if (this.asking) return void (this.askAgain = true);
    this.asking = true;
    try {
      const [answer, state] = await Promise.all([get("actions"), get("kill")]);
      const before = new Map(this.actions.map((a) => [a.id, a]));
      this.actions = list(answer.actions).filter((a) => a && typeof a.id === "string");
      this.tell(before);
      this.killed = list(state.killed).map(String);
      this.trouble = "";
      const chosen = this.actions.find((a) => a.id === this.chosen);
      if (this.chosen && (!chosen || chosen.version !== this.whole.get(this.chosen)?.version)) await this.look(this.chosen);
      for (const id of this.whole.keys()) if (id !== this.chosen) this.whole.delete(id);
    } catch (e) {
      this.trouble = e.status === 0 ? "The server does not answer: what is shown may be old." : e.message;
      if (e.status === 401 || e.status === 403) this.session.ask();
    } finally {
      this.asking = false;
      this.fresh = true;
      this.draw();
      if (this.askAgain) (this.askAgain = false), this.soon(SOON);
      this.soon(this.actions.some((a) => a.state === "executing") ? WORKING : EVERY);
    }
  }

  /** Says what changed, for those who do not see it. */
  tell(before) {
    if (!before.size && !this.fresh) return;
    for (const a of this.actions) {
      const was = before.get(a.id);
      if (!was && a.state === "proposed") toast(`New request: ${clip(String(a.title ?? a.tool), 80)}`);
      else if (was && was.state !== a.state && a.state !== "executing" && a.state !== "rejected") toast(`${stateWord[stateOf(a)]}: ${clip(String(a.title ?? a.tool), 80)}`);
    }
  }

  async look(id = this.chosen) {
    if (!this.operator || !id) return;
    try {
      const { action } = await get(`actions/${at(id)}`);
      this.keep(action);
    } catch (e) {
      if (id !== this.chosen) return;
      this.whole.set(id, { id, missing: e.message });
      this.draw();
    }
  }

  /** Takes an action that is newer than the one shown. */
  keep(a, fresh) {
    if (!a || typeof a.id !== "string") return;
    this.whole.set(a.id, a);
    const i = this.actions.findIndex((x) => x.id === a.id);
    if (i >= 0) this.actions[i] = { ...this.actions[i], ...a };
    if (fresh) this.drawn = "";
    this.draw();
  }

  // Drawing

  sorted() {
    const rank = (a) => (a.state === "proposed" ? 0 : a.state === "executing" ? 1 : 2);
    return [...this.actions].sort((a, b) => rank(a) - rank(b) || (rank(a) === 0 ? Date.parse(a.expiresAt) - Date.parse(b.expiresAt) : Date.parse(b.createdAt) - Date.parse(a.createdAt)));
  }

  counts() {
    const open = this.actions.filter((a) => a.state === "proposed").length;
    const badge = $("view-approvals-count");
    badge.hidden = !open && !(this.noticed && !this.operator);
    badge.textContent = open ? String(open) : "•";
    $("view-approvals-said").textContent = open ? ` ${open} waiting` : "";
    $("banner-kill").hidden = !this.killed.length;
    $("banner-kill-text").textContent = this.killed.length ? visible(`Models are stopped, and nothing is spent: ${killedBy(this.killed[0])}.`) : "";
  }

  draw() {
    this.counts();
    if (!this.shown) return;
    $("inbox-locked").hidden = this.operator;
    $("inbox-open").hidden = !this.operator;
    $("kill-open").hidden = !this.operator || this.killed.length > 0; // the banner lifts it
    if (!this.operator) return;
    const open = this.actions.filter((a) => a.state === "proposed").length;
    $("inbox-title").textContent = open ? `${plural(open, "request")} ${open === 1 ? "waits" : "wait"} for you` : "Nothing waits for you";
    $("inbox-trouble").textContent = visible(this.trouble ?? "");
    this.drawInbox();
    this.drawCard();
    this.tick();
  }

  drawInbox() {
    const all = this.sorted();
    const sign = JSON.stringify([this.chosen, all.map((a) => [a.id, a.version, a.state])]);
    if (sign === this.inboxSign) return;
    this.inboxSign = sign;
    const focused = document.activeElement?.closest?.("#inbox button")?.dataset.id;
    $("inbox").replaceChildren(...all.map((a) => el("li", null, el(`button.item.r-${riskOf(a)}.s-${stateOf(a)}`, { type: "button", "data-id": a.id, "aria-current": a.id === this.chosen ? "true" : "false", onclick: () => this.choose(a.id) },
      el("span.item-top", null, badge(a), el("span.grow"), el("time", { "data-left": a.state === "proposed" ? a.expiresAt : null, "data-at": a.createdAt })),
      el("b.item-title", null, marked(clip(String(a.title || a.tool), 120))),
      el("span.item-who", null, asker(a.origin), ["warning", "critical"].includes(a.claimCheck?.level) && a.state === "proposed" ? el("span.item-warn", null, icon("warn"), "claim") : null)))));
    $("inbox-empty").hidden = all.length > 0;
    if (focused) [...$("inbox").querySelectorAll("button")].find((b) => b.dataset.id === focused)?.focus();
  }

  drawCard() {
    const a = this.whole.get(this.chosen);
    document.body.classList.toggle("card-open", Boolean(this.chosen));
    const sign = a ? JSON.stringify([a.id, a.version, a.state, a.factsHash, a.missing]) : `none ${this.chosen}`;
    if (sign === this.drawn) return;
    // Whoever types goes on typing: a change of the action itself is told by its state.
    if (this.steps.busy && a && this.steps.action?.id === a.id && a.state === "proposed" && this.drawn) return;
    this.drawn = sign;
    const box = $("card");
    if (!a || a.missing) {
      box.replaceChildren(el("div.hint", null, el("h2", null, a ? "Not there" : this.chosen ? "One moment" : "Choose a request"), el("p", null, a ? marked(a.missing) : this.chosen ? "Asking the server." : "What models ask for waits here until you decide, or its time is over.")));
      return;
    }
    const held = box.contains(document.activeElement) ? document.activeElement.id : "";
    box.replaceChildren(card(a, { now: this.now, decide: this.steps.show(a), onTrace: this.onTrace, onWhy: () => this.why(a.id) }));
    if (held && document.activeElement?.id !== held) $(held)?.focus();
  }

  async why(id) {
    const button = $("card-why"), box = $("card-why-more");
    const on = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", on);
    if (!on) return box.replaceChildren();
    box.replaceChildren(el("p.dim", { role: "status" }, "Asking."));
    try {
      const answer = await get(`actions/${at(id)}/explain`);
      if (box.isConnected) box.replaceChildren(checks(answer));
    } catch (e) {
      box.replaceChildren(el("p.bad", { role: "alert" }, marked(e.message)));
    }
  }

  /** Each second: how long is left. What should have ended is asked about. */
  tick() {
    if (!this.operator) return;
    const now = this.now;
    if (this.actions.some((a) => a.state === "proposed" && !left(a.expiresAt, now))) this.soon(WORKING);
    if (!this.shown) return;
    for (const t of $("inbox").querySelectorAll("time")) {
      const word = t.dataset.left ? left(t.dataset.left, now) || "over" : ago(t.dataset.at, now);
      if (t.textContent !== word) t.textContent = word;
    }
    const a = this.whole.get(this.chosen), node = $("card-left");
    if (!a || !node) return;
    const word = left(a.expiresAt, now);
    node.textContent = word ? `${word} left` : "its time is over";
    node.classList.toggle("late", Date.parse(a.expiresAt) - now < HURRY);
    $("card-fuse").style.width = `${(share(a, now) * 100).toFixed(1)}%`;
    for (const b of this.steps.box.querySelectorAll("#approve, #execute")) if (!word) b.disabled = true;
  }

  // The passphrase

  /** Asks for the passphrase unless it was given lately; resolves to false when the person did not want to. */
  async proof() {
    const state = await get("auth").catch(() => null);
    if (!state?.initialized || !state.session || state.provedUntil) return true; // a refusal says what to do
    return this.enter();
  }

  /** After a refusal; resolves to whether what lacked was given. */
  async reauth() {
    const state = await get("auth").catch(() => null);
    return Boolean(state?.initialized && state.session) && this.enter();
  }

  enter() {
    this.proved = false;
    $("reauth-error").textContent = "";
    $("reauth").showModal();
    $("reauth-pass").focus();
    return new Promise((resolve) => (this.given = resolve));
  }

  async prove() {
    const passphrase = $("reauth-pass").value;
    if (!passphrase) return;
    $("reauth-pass").value = "";
    $("reauth-go").disabled = true;
    try {
      await post("auth/reauth", { passphrase });
      this.proved = true;
      $("reauth").close();
    } catch (e) {
      $("reauth-error").textContent = visible(`${e.message}${e.hint ? `. ${e.hint}` : ""}`);
      $("reauth-pass").focus();
    } finally {
      $("reauth-go").disabled = false;
    }
  }

  // The kill switch

  askKill() {
    $("kill-error").textContent = "";
    $("kill-reason").value = "";
    $("kill").showModal();
    $("kill-go").focus();
  }

  async kill() {
    $("kill-go").disabled = true;
    try {
      await post("kill", { reason: $("kill-reason").value.trim() });
      $("kill").close();
      toast("Stopped: no model does anything");
      await this.refresh();
    } catch (e) {
      $("kill-error").textContent = visible(`${e.message}${e.hint ? `. ${e.hint}` : ""}`);
    } finally {
      $("kill-go").disabled = false;
    }
  }

  async lift(again) {
    if (!(await this.proof())) return;
    try {
      const answer = await post("unkill", { shown: this.killed });
      this.killed = [];
      toast(list(answer.halted).length ? "Models may go on; spending is still halted" : "Models may go on");
      await this.refresh();
    } catch (e) {
      if (again !== true && e.code === "reauth_required" && (await this.reauth(e))) return this.lift(true);
      toast(`${e.message}${e.hint ? `: ${e.hint}` : ""}`);
    }
  }
}
