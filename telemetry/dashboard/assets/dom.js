// Elements are made here, and text reaches the page only through textContent:
// what an event says is never markup, and has nothing in it that is not seen.
import { clip, pieces, visible } from "./format.js";

const said = new Set(["title", "aria-label"]);

/** el("span.dim", {title: "…"}, "text", child, …) */
export function el(spec, attrs, ...children) {
  const [tag, ...classes] = spec.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length) node.className = classes.join(" ");
  for (const [name, value] of Object.entries(attrs ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : said.has(name) ? visible(String(value)) : String(value));
  }
  for (const c of children.flat()) {
    if (c === undefined || c === null || c === "") continue;
    node.append(c instanceof Node ? c : document.createTextNode(visible(String(c))));
  }
  return node;
}

const svg = "http://www.w3.org/2000/svg";

export function icon(name, label) {
  const node = document.createElementNS(svg, "svg");
  node.setAttribute("class", `icon i-${name}`);
  if (label) {
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", label);
  } else {
    node.setAttribute("aria-hidden", "true");
  }
  const use = document.createElementNS(svg, "use");
  use.setAttribute("href", `#i-${name}`);
  node.append(use);
  return node;
}

export const $ = (id) => document.getElementById(id);

const oddities = {
  unseen: "a character that can't be seen, or turns the text around, written out",
  mixed: "letters of two alphabets in one word: they may only look alike",
};

/**
 * A stranger's text as nodes: what can't be seen stands out as what it is, and of a
 * very long one there is the start, and a button for all of it.
 */
export function marked(value, most = 300) {
  const s = String(value ?? "");
  const nodes = (text) => pieces(text).map(([kind, part]) => (kind ? el("mark.odd", { title: oddities[kind] }, part) : document.createTextNode(part)));
  if (s.length <= most) return nodes(s);
  const rest = el("button.button.small.all", { type: "button", onclick: () => whole() }, `all ${s.length} characters`);
  const box = el("span.long", null, nodes(clip(s, most)), rest);
  const whole = () => box.replaceChildren(...nodes(clip(s, 20_000)));
  return [box];
}

/** The parts of a sentence as nodes. */
export function parts(list) {
  return list.map((p) => (typeof p === "string" ? visible(p) : el(p[0] === "money" ? "span.money" : "b", null, p[1])));
}

let toastTimer = 0;
export function toast(message) {
  const node = $("toast");
  node.textContent = message;
  node.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => node.classList.remove("shown"), 2400);
}

export async function copy(value, what) {
  try {
    await navigator.clipboard.writeText(value);
    toast(`Copied ${what}`);
  } catch {
    toast("The browser did not let us copy");
  }
}

/** A canvas made sharp and empty, with what drawing on it wants; undefined while it is not shown. */
export function blank(canvas) {
  const w = canvas.clientWidth, h = canvas.clientHeight, scale = devicePixelRatio || 1;
  if (!w || !h) return undefined;
  if (canvas.width !== Math.round(w * scale)) canvas.width = Math.round(w * scale);
  if (canvas.height !== Math.round(h * scale)) canvas.height = Math.round(h * scale);
  const c = canvas.getContext("2d");
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.clearRect(0, 0, w, h);
  return { c, w, h, css: getComputedStyle(document.documentElement) };
}
