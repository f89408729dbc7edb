// The workspace of this machine's agent, as the view of machines shows it. Tasks, what the
// agent said and why it was stopped are strangers' texts: bounded here, and text on the page.
import { ago, list } from "./card.js";
import { badge } from "./chainparts.js";
import { el, marked } from "./dom.js";
import { number, plural } from "./format.js";

const MOST = 20; // actions
const text = (v) => (typeof v === "string" ? v : "");
const whole = (v) => (Number.isSafeInteger(v) && v >= 0 ? v : 0);
const when = (ts, now) => el("time", { title: text(ts).slice(0, 60) }, ago(text(ts), now) || marked(text(ts), 40));

/** Whether there is a workspace to show. */
export const there = (pod) => !!pod && ["running", "stale", "stopped"].includes(pod.status);

function standing(pod) {
  if (pod.status === "running" && pod.stopped === true) return ["warn", "pending", "About to stop"];
  if (pod.status === "running") return pod.stuck === true ? ["bad", "failed", "Stuck"] : ["ok", "ok", pod.dryRun === true ? "Running, as a dry run" : "Running"];
  if (pod.status === "stale") return ["bad", "warn", "No sign of life"];
  return ["none", "refused", pod.stopped === true ? "Stopped by its flag" : "Not running"];
}

const states = { done: ["ok", "ok", "Done"], failed: ["bad", "failed", "Failed"], stopped: ["warn", "refused", "Stopped"], interrupted: ["bad", "warn", "Cut off"], active: ["none", "pending", "At work"] };

/** onStop() stops the run, and the button stays where the focus is; saying is what came of the last press, as {text, bad}. */
export function workspace(pod, { now, onStop, stopping = false, saying }) {
  const row = (name, ...value) => (value.flat().some((v) => v) ? el("div", null, el("dt", null, name), el("dd", null, ...value)) : null);
  const runs = pod.status === "running" && pod.stopped !== true;
  const acts = list(pod.actions);
  return [
    el("dl.card-facts.pod", null,
      row("state", badge(standing(pod))),
      row("last sign of life", text(pod.lastHeartbeat) ? [when(pod.lastHeartbeat, now), whole(pod.tick) ? `, tick ${number(pod.tick)}` : ""] : "never"),
      row("open tasks", number(whole(pod.openTasks))),
      row("flag", text(pod.stopReason) ? marked(text(pod.stopReason), 300) : "")),
    el("div.pod-ends", null,
      el("button.button.danger", { type: "button", "data-key": "stop", "aria-disabled": String(stopping || pod.stopped === true), onclick: () => stopping || pod.stopped === true || onStop() }, stopping ? "Stopping" : "Stop the run"),
      el("small", null, pod.stopped === true ? ["It goes on after ", el("code", null, "ape-claw pod start"), " on that machine."]
        : runs ? "It ends within a second, and none begins until a person takes the flag away." : "None begins until a person takes the flag away.")),
    saying ? el(saying.bad ? "p.bad" : "p.fine", { role: saying.bad ? "alert" : "status" }, marked(saying.text, 400)) : null,
    acts.length ? el("ul.lines", null, acts.slice(0, MOST).map((a) => el("li.act", null,
      el("b", null, text(a?.about) ? marked(text(a.about), 120) : "no open task"),
      badge(Object.hasOwn(states, text(a?.state)) ? states[a.state] : ["none", "warn", "Unknown"]),
      text(a?.error) || text(a?.text) ? el("span.reason", null, marked(text(a.error) || text(a.text), 300)) : null,
      el("small", null, text(a?.began) ? when(a.began, now) : "", whole(a?.tick) ? ` · tick ${number(a.tick)}` : "", text(a?.by) ? [" · by ", ...marked(text(a.by), 64)] : "")))) : el("p.nothing-yet", null, "It has not done anything yet."),
    acts.length > MOST ? el("p.fine", null, `The newest ${MOST} of ${plural(acts.length, "action")}.`) : null,
  ];
}
