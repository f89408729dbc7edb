// Who reads: where the server asks, a form takes an agent's id and token to it,
// and a cookie that no script can read comes back. The token is kept nowhere.
import { $, toast } from "./dom.js";
import { explain } from "./feed.js";
import { clip, visible } from "./format.js";

const loopback = /^(localhost|127\..*|\[::1\])$/;

export class Session {
  /** onIn: somebody logged in; onOut(required): somebody logged out; onWho(agentId): who it is, "" for nobody. */
  constructor({ onIn, onOut, onWho }) {
    this.dialog = $("login");
    this.form = $("login-form");
    this.onIn = onIn;
    this.onOut = onOut;
    this.onWho = onWho;
    this.required = false;
    $("login-plain").hidden = location.protocol === "https:" || loopback.test(location.hostname);
    this.form.addEventListener("submit", (e) => {
      e.preventDefault();
      this.enter();
    });
    $("login-cancel").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("close", () => ($("login-token").value = ""));
    $("logout").addEventListener("click", () => this.leave());
  }

  /** Asks the server whether it wants to know, and whether it does. */
  async ask() {
    try {
      const r = await fetch("/api/session", { cache: "no-store" });
      if (!r.ok) return; // a server without sessions
      const { required, agentId } = await r.json();
      this.required = required === true;
      $("who").hidden = !agentId;
      $("who-name").textContent = agentId ? visible(clip(String(agentId), 60)) : "";
      this.onWho(agentId ? String(agentId) : "");
      if (this.required && !agentId) this.open();
      else this.close();
    } catch {
      // The stream tells that the server is not there.
    }
  }

  /** Whoever was logged in no longer is. */
  ended() {
    $("who").hidden = true;
    this.onWho("");
    this.open();
  }

  /** Shows the form; for the operator it asks for that token alone. */
  open(operator = false) {
    if (this.dialog.open) return;
    document.querySelector("dialog[open]")?.close();
    this.say("");
    this.dialog.classList.toggle("operator", operator);
    $("login-title").textContent = operator ? "Log in as operator" : "Log in";
    $("login-agent").value = operator ? "operator" : "";
    this.dialog.showModal();
    $(operator ? "login-token" : "login-agent").focus();
  }

  close() {
    if (this.dialog.open) this.dialog.close();
  }

  say(message) {
    $("login-error").textContent = visible(message);
  }

  async enter() {
    const agentId = $("login-agent").value.trim(), token = $("login-token").value.trim();
    $("login-token").value = "";
    if (!agentId || !token) return this.say("Both are needed: the agent's id and its token.");
    $("login-go").disabled = true;
    try {
      const r = await fetch("/api/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ agentId, token }), cache: "no-store" });
      if (r.ok) {
        this.close();
        this.onIn();
        this.ask();
        return;
      }
      this.say(refusal(r.status, await r.json().catch(() => ({})), r.headers.get("Retry-After")));
      $("login-token").focus();
    } catch {
      this.say("The server does not answer. Is ape-claw serve running?");
    } finally {
      $("login-go").disabled = false;
    }
  }

  async leave() {
    try {
      const r = await fetch("/api/session", { method: "DELETE", cache: "no-store" });
      if (!r.ok) throw new Error(String(r.status));
    } catch {
      toast("Not logged out: the server does not answer");
      return;
    }
    $("who").hidden = true;
    this.onWho("");
    toast("Logged out");
    this.onOut(this.required);
  }
}

function refusal(status, body, after) {
  if (status === 404 || status === 405) return "This server has no log-in: restart it with a newer ape-claw.";
  const { why, todo } = explain(status, body);
  const wait = Number(after) > 0 ? ` Try again in ${Number(after)} s.` : "";
  // It is the id and token that are refused here, not the page.
  const first = status === 401 || status === 403 ? String(body.error ?? "id and token do not fit") : why;
  return `${upper(clip(first))}.${todo ? ` ${upper(todo)}.` : ""}${wait}`;
}

export const upper = (s) => s.replace(/^./, (c) => c.toUpperCase()).replace(/\.$/, "");
