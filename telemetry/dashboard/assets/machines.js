// The machines that report here, and this one's own reporting: agents, what is still
// to be forwarded, what a receiver refused, and the workspace of this machine's agent. It is asked of the server while it is
// looked at, and not else.
import { look, tell } from "./api.js";
import { $, el, marked } from "./dom.js";
import { visible } from "./format.js";
import { agents, forwarding, headline, letters } from "./machineparts.js";
import { there, workspace } from "./podparts.js";
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
    if (this.shown && /"eventType":"(clawbot|pod)\./.test(raw)) this.soon(SOON);
  }

  /** Who is logged in changed: what one may see, another may not. */
  who() {
    this.forget();
    this.refresh();
  }

  forget() {
    this.turn = (this.turn ?? 0) + 1;
    this.got = this.saying = undefined;
    this.draw();
  }

  /** Looks in so many milliseconds, or before, where that was to be: events that come one after the other put nothing off. */
  soon(ms) {
    const due = Date.now() + ms;
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
    const turn = this.turn;
    try {
      const [bots, out, pod] = await Promise.all([settle(look("clawbots")), settle(look("forwarding")), settle(look("pod/status"))]);
      const dead = Number(out.answer?.dead) > 0 ? await settle(look("forwarding/dead")) : undefined;
      if (turn !== this.turn) return;
      this.got = { bots, out, dead, pod };
      this.draw();
    } finally {
      this.asking = false;
      this.soon(this.askAgain ? SOON : EVERY);
      this.askAgain = false;
    }
  }

  // Drawing

  draw() {
    const { bots, out, dead, pod } = this.got ?? {};
    const locked = [bots, out, dead].some((part) => part?.error?.status === 401 || part?.error?.status === 403);
    $("machines-title").textContent = visible(this.got ? headline(bots.answer, out.answer) : "Asking the server");
    $("machines-login").hidden = !locked;
    this.part("agents", bots, (answer) => agents(answer, { now: Date.now(), seen: this.seen(), onAgent: this.onAgent }));
    $("machines-agents-more").textContent = Number.isSafeInteger(bots?.answer?.count) ? `${bots.answer.count} in all` : "";
    this.part("forwarding", out, (answer) => forwarding(answer, Date.now()));
    $("machines-dead-part").hidden = !dead;
    // A server without a workspace, or an older one, shows none.
    $("machines-pod-part").hidden = !(there(pod?.answer) || (pod?.error && pod.error.status !== 404 && pod.error.status !== 401));
    this.part("pod", pod, (answer) => (there(answer) ? workspace(answer, { now: Date.now(), onStop: () => this.stop(), stopping: this.stopping === true, saying: this.saying }) : []));
    if (dead) this.part("dead", dead, (answer) => letters(answer, out.answer.dead, Date.now()));
  }

  /** Raises the flag of the workspace, in the name of who is logged in. */
  async stop() {
    if (this.stopping) return;
    this.stopping = true;
    this.draw();
    try {
      await tell("pod/stop", { reason: "stopped on the dashboard" });
      this.saying = { text: "The flag is raised." };
    } catch (e) {
      if (e.status === 401 || e.status === 403) this.onLogin();
      this.saying = { text: e.status === 401 ? "Log in as an agent to stop it." : `${e.message}${e.hint ? `. ${e.hint}` : ""}`, bad: true };
    } finally {
      this.stopping = false;
      this.draw();
      this.refresh();
    }
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
