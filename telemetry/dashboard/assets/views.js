// Which of the page's views is shown: the address says it, the buttons on top change it.
import { $ } from "./dom.js";

const views = { events: "", approvals: "approving", chain: "onchain", machines: "machining" }; // with the class of the body
const listeners = [];

/** The view that the address names. */
export function view() {
  const name = new URLSearchParams(location.hash.slice(1)).get("view");
  return name && Object.hasOwn(views, name) ? name : "events";
}

/** Calls f whenever the address may name another view. */
export const onView = (f) => listeners.push(f);

/** Takes up what the address says. */
export function routed() {
  const now = view();
  for (const [name, mark] of Object.entries(views)) {
    if (mark) document.body.classList.toggle(mark, name === now);
    $(`view-${name}`).setAttribute("aria-current", name === now ? "page" : "false");
  }
  for (const f of listeners) f(now);
}

/** Goes to a view; hash is its address, and none that of the events. */
export function go(hash = "") {
  history.pushState(null, "", hash || location.pathname + location.search);
  routed();
}

addEventListener("hashchange", routed);
