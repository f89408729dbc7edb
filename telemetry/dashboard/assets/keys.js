// Keys work anywhere but in fields, where only Escape does, and never with a
// modifier that the browser or a screen reader wants.

export function Keys(on) {
  const keys = {
    j: () => on.move(1), ArrowDown: () => on.move(1), k: () => on.move(-1), ArrowUp: () => on.move(-1),
    PageDown: () => on.move(10), PageUp: () => on.move(-10),
    g: () => on.move(-Infinity), Home: () => on.move(-Infinity), G: () => on.move(Infinity), End: () => on.move(Infinity),
    a: on.approvals, v: on.chain, m: on.machines, Enter: on.open, "[": () => on.step(-1), "]": () => on.step(1),
    t: on.trace, c: on.copy, "/": on.search, p: on.pause, f: on.follow, e: on.save, x: on.clear, "?": on.help, Escape: on.back,
  };
  // While another view is looked at, the keys of the list of events rest.
  const others = {
    approvals: { j: () => on.inbox(1), k: () => on.inbox(-1), a: on.approvals, v: on.chain, m: on.machines, "?": on.help, Escape: on.outOfCard },
    chain: { a: on.approvals, v: on.chain, m: on.machines, "?": on.help, Escape: on.chain },
    machines: { a: on.approvals, v: on.chain, m: on.machines, "?": on.help, Escape: on.machines },
  };
  const listOnly = new Set(["ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End", "Enter"]);

  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || document.querySelector("dialog[open]")) return;
    const where = e.target, other = others[on.view()];
    if (where.matches?.("input, select, textarea")) {
      if (e.key === "Escape") (other ? where.blur() : document.getElementById("events").focus());
      return;
    }
    if (other) {
      const act = other[e.key.length === 1 ? e.key.toLowerCase() : e.key];
      if (act) (e.preventDefault(), act());
      return;
    }
    // In the details these keys scroll and press, as they do everywhere.
    const list = where === document.body || where.closest?.("#events");
    if (listOnly.has(e.key) && !list) return;
    const act = keys[e.key] ?? keys[e.key.length === 1 && e.key !== "G" ? e.key.toLowerCase() : e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });
}
