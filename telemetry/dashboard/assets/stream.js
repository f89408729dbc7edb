// The page's side of the stream: the worker that all tabs share, or, where there
// is none, a connection of the page's own.
import { Feed } from "./feed.js";

const WORKER = "/assets/worker.js";
const DEAF = 50_000; // a worker pings every 15 s; one that does not has died
const SLOW = 8_000; // to answer the first time

/**
 * connect({build, onItems(items, missed), onState(state), onHealth(health, tabs), onForget(), onKind(kind)})
 * returns {kind, retry(), forget()}; kind is "shared" or "own".
 */
export function connect(on) {
  const link = { kind: "", retry: () => {}, forget: () => {} };
  const worker = sharedWorker(on.build);
  if (worker) shared(link, worker, on);
  else own(link, on);
  return link;
}

// The only script address that this page ever makes from a string.
const policy = (() => {
  try {
    return self.trustedTypes?.createPolicy("ape-claw", {
      createScriptURL(url) {
        if (url !== WORKER) throw new TypeError("no such worker");
        return url;
      },
    }) ?? { createScriptURL: (url) => url };
  } catch {
    return null; // the policy's name is not allowed here: no worker then
  }
})();

function sharedWorker(build) {
  if (!self.SharedWorker || !policy) return null;
  try {
    // Named by the page's version: a page of a new binary does not meet the
    // worker of an old one.
    return new SharedWorker(policy.createScriptURL(WORKER), { type: "module", name: `ape-claw ${build}` });
  } catch {
    return null;
  }
}

function shared(link, worker, on) {
  const { port } = worker;
  let have = null, heard = 0, over = false;
  const lock = hold();
  const send = (kind, more) => port.postMessage({ kind, ...more });
  const hello = async () => send("hello", { have, lock: await lock });

  const giveUp = () => {
    if (over) return;
    over = true;
    clearInterval(watching);
    clearTimeout(first);
    send("bye");
    port.close();
    own(link, on);
  };
  worker.onerror = () => heard || giveUp();
  const first = setTimeout(() => heard || giveUp(), SLOW);

  const hear = {
    batch({ run, from, missed, items }) {
      const skip = have?.run === run ? Math.max(0, have.next - from) : 0; // sent again after a second hello
      have = { run, next: from + items.length };
      send("took");
      on.onItems(skip ? items.slice(skip) : items, missed);
    },
    state: ({ state }) => on.onState(state),
    health: ({ health, tabs }) => on.onHealth(health, tabs),
    forget: () => on.onForget(),
    ping: () => send("alive"),
  };
  port.onmessage = (m) => {
    heard = Date.now();
    hear[m.data.kind]?.(m.data);
  };
  hello();

  let asked = 0; // when a worker that is silent was asked whether it lives
  const watching = setInterval(() => {
    if (!heard || Date.now() - heard < DEAF) return void (asked = 0);
    // A page that was frozen comes here too: it asks first.
    if (asked && Date.now() - asked > SLOW && asked > heard) return giveUp();
    if (!asked) hello();
    asked ||= Date.now();
  }, 5000);
  document.addEventListener("visibilitychange", () => document.hidden || over || hello());
  addEventListener("pagehide", () => over || send("bye"));
  addEventListener("pageshow", (e) => e.persisted && !over && hello());
  Object.assign(link, { kind: "shared", retry: () => send("retry"), forget: () => send("forget") });
  on.onKind("shared");
}

/** Holds a lock for as long as the page lives, and tells its name; "" where there are none. */
async function hold() {
  if (!navigator.locks) return "";
  const name = `ape-claw tab ${crypto.randomUUID?.() ?? Math.random()}`;
  return new Promise((resolve) => {
    navigator.locks.request(name, () => {
      resolve(name);
      return new Promise(() => {});
    }).catch(() => resolve(""));
  });
}

function own(link, on) {
  const feed = new Feed({ onItem: (item) => on.onItems([item], 0), onState: on.onState, onHealth: (h) => on.onHealth(h, 1) });
  feed.start();
  addEventListener("pagehide", () => feed.stop());
  addEventListener("pageshow", (e) => e.persisted && feed.start());
  document.addEventListener("visibilitychange", () => document.hidden || feed.look());
  Object.assign(link, {
    kind: "own",
    retry: () => feed.retry(),
    forget() {
      feed.stop();
      feed.forget();
      on.onForget();
      feed.start();
    },
  });
  on.onKind("own");
}
