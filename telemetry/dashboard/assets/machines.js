// The machines that report here, and this one's own reporting: agents, what is still
// to be forwarded, and what a receiver refused. It is asked of the server while it is
// looked at, and not else.
import { look } from "./api.js";
import { $, el, marked } from "./dom.js";
import { visible } from "./format.js";
import { agents, forwarding, headline, letters } from "./machineparts.js";
import { go, onView, view } from "./views.js";

const EVERY = 15_000; // a look without an event
const SOON = 400; // between an event and the look at what it changed

const settle = (asked) => asked.then((answer) => ({ answer }), (error) => ({ error }));

export class Machines {
  /** onLogin(): somebody wants to say who they are; onAgent(id): wants an agent's events; records(): the events that the page holds. */
  constructor({ onLogin, onAgent, records }) {
    Object.assign(this, { onLogin, onAgent, records });
    $("view-machines").addEventListener("click", () => this.shown || this.go(true));
    $("machines-again").addEventListener("click", () => this.refresh());
    $("machines-login").addEventListener("click", () => onLogin());
    document.addEventListener("visibilitychange", () => document.hidden || this.refresh());
    onView(() => this.shown && this.refresh());
  }

  get shown() {
    return view() === "machines";
  }

  go(on) {
    if (on) go("#view=machines");
    else if (this.shown) go();
  }

  /** A line of the log came. */
  heard(raw) {
    if (this.shown && raw.includes('"eventType":"clawbot.')) this.soon(SOON);
  }

  /** Who is logged in changed: what one may see, another may not. */
  who() {
    this.forget();
    this.refresh();
  }

  forget() {
    this.turn = (this.turn ?? 0) + 1;
    this.got = undefined;
    this.draw();
  }

  soon(ms) {
    if (!this.shown) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), ms);
  }

  async refresh() {
    if (!this.shown || document.hidden) return;
    if (this.asking) return void (this.askAgain = true);
    this.asking = true;
    const turn = this.turn;
    try {
      const [bots, out] = await Promise.all([settle(look("clawbots")), settle(look("forwarding"))]);
      const dead = Number(out.answer?.dead) > 0 ? await settle(look("forwarding/dead")) : undefined;
      if (turn !== this.turn) return;
      this.got = { bots, out, dead };
      this.draw();
    } finally {
      this.asking = false;
      this.soon(this.askAgain ? SOON : EVERY);
      this.askAgain = false;
    }
  }

  // Drawing

  draw() {
    const { bots, out, dead } = this.got ?? {};
    const locked = [bots, out, dead].some((part) => part?.error?.status === 401 || part?.error?.status === 403);
    $("machines-title").textContent = visible(this.got ? headline(bots.answer, out.answer) : "Asking the server");
    $("machines-login").hidden = !locked;
    this.part("agents", bots, (answer) => agents(answer, { now: Date.now(), seen: this.seen(), onAgent: this.onAgent }));
    $("machines-agents-more").textContent = Number.isSafeInteger(bots?.answer?.count) ? `${bots.answer.count} in all` : "";
    this.part("forwarding", out, (answer) => forwarding(answer, Date.now()));
    $("machines-dead-part").hidden = !dead;
    if (dead) this.part("dead", dead, (answer) => letters(answer, out.answer.dead, Date.now()));
  }

  /** The newest event of each agent that this page holds. */
  seen() {
    const newest = new Map(), all = this.records();
    for (let i = all.length - 1; i >= 0; i--) {
      const { ev, note } = all[i];
      if (note || !ev.agentId) continue;
      const held = newest.get(ev.agentId);
      if (held) held.count++;
      else newest.set(ev.agentId, { ts: ev.ts, type: ev.eventType, count: 1 });
    }
    return newest;
  }

  /** Draws a part anew; who is in it stays there. */
  part(name, got, draw) {
    const box = $(`machines-${name}`);
    const key = box.contains(document.activeElement) ? document.activeElement.dataset.key : "";
    const body = got?.error ? this.trouble(got.error) : got?.answer ? draw(got.answer) : el("p.nothing-yet", null, "Asking the server.");
    box.replaceChildren(...[body].flat().filter(Boolean));
    if (key) [...box.querySelectorAll("[data-key]")].find((n) => n.dataset.key === key)?.focus();
  }

  trouble(e) {
    if (e.status === 401 || e.status === 403) return el("p.nothing-yet", null, "This is shown to those who have logged in.");
    if (e.status === 404) return el("p.nothing-yet", null, "This server does not tell: restart it with a newer ape-claw.");
    return el("p.bad", { role: "alert" }, marked(`${e.message}${e.hint ? `. ${e.hint}` : ""}`, 400));
  }
}
