// One stream a browser. HTTP/1.1 gives a browser six connections to a server,
// and a stream takes one for good: the seventh tab would load nothing. So the
// tabs share this worker, which holds the only stream and the newest lines, and
// hands them on. A tab is sent the next batch when it has taken the last one:
// a tab that hangs costs no memory.
import { Feed } from "./feed.js";
import { CHARS, HOLD } from "./limits.js";
import { Ring } from "./ring.js";

const BATCH = 2000, BATCH_CHARS = 4 << 20;
const GATHER = 16; // ms, about a frame: what comes within is sent together
const PING = 15_000;
const DEAD = 3 * PING; // without locks, a tab that answers no ping for so long is gone
const LINGER = 5_000; // the stream is kept while a page reloads

const run = `${Date.now()}-${Math.random()}`; // tells this worker from one before it
const ring = new Ring(HOLD, CHARS);
const tabs = new Set();
let gathering = 0, lingering = 0;

const feed = new Feed({
  onItem(item) {
    ring.push(item);
    gathering ||= setTimeout(spread, GATHER);
  },
  onState: (state) => tell({ kind: "state", state }),
  onHealth: (health) => tell({ kind: "health", health, tabs: tabs.size }),
});

function tell(message) {
  for (const tab of tabs) tab.port.postMessage(message);
}

function spread() {
  gathering = 0;
  for (const tab of tabs) give(tab);
}

function give(tab) {
  if (tab.busy || tab.at >= ring.next) return;
  const from = Math.max(tab.at, ring.first);
  const items = ring.from(from, BATCH, BATCH_CHARS);
  tab.port.postMessage({ kind: "batch", run, from, missed: from - tab.at, items });
  tab.at = from + items.length;
  tab.busy = true;
}

self.onconnect = (e) => {
  const tab = { port: e.ports[0], at: 0, busy: false, heard: 0, lock: "" };
  tab.port.onmessage = (m) => hear(tab, m.data);
};

const heard = {
  /** A tab is there, or there again: it says up to where it has everything. */
  hello(tab, { have, lock }) {
    tab.busy = false;
    tab.at = have?.run === run ? have.next : ring.first;
    tab.port.postMessage({ kind: "state", state: feed.state });
    if (feed.health) tab.port.postMessage({ kind: "health", health: feed.health, tabs: tabs.size });
    give(tab);
    watch(tab, lock);
  },
  took(tab) {
    tab.busy = false;
    give(tab);
  },
  alive() {},
  bye: drop,
  retry: () => feed.retry(),
  /** After a log-out nothing that was read stays. */
  forget() {
    feed.stop();
    feed.forget();
    ring.clear();
    for (const tab of tabs) tab.at = ring.next;
    tell({ kind: "forget" });
    feed.start();
  },
};

function hear(tab, message) {
  tab.heard = Date.now();
  if (message.kind !== "bye") {
    tabs.add(tab);
    clearTimeout(lingering);
    feed.start();
  }
  heard[message.kind]?.(tab, message);
}

function drop(tab) {
  tabs.delete(tab);
  clearTimeout(lingering);
  if (!tabs.size) lingering = setTimeout(() => tabs.size || feed.stop(), LINGER);
}

// A port does not tell that its tab is gone. A lock does, at once: the tab holds
// it as long as it lives. Plain HTTP on a network has no locks; there a ping
// that is not answered must do.
function watch(tab, lock) {
  if (!lock || lock === tab.lock || !navigator.locks) return;
  tab.lock = lock;
  navigator.locks.request(lock, () => {
    tab.lock = "";
    drop(tab);
  }).catch(() => {}); // no locks here after all: the pings remain
}

setInterval(() => {
  for (const tab of tabs) {
    if (Date.now() - tab.heard > DEAD) drop(tab);
    else tab.port.postMessage({ kind: "ping" });
  }
}, PING);
