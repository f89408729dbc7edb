// The connection to the server, without a page: one EventSource, which resumes
// with its last id, and a look at the server's health, since a connection can
// die in silence. It runs in the worker that all tabs share, or in the page.

const BACKLOG = 1000; // the most that one connection may ask for
const BURST = 1500; // ms after the opening in which that backlog comes,
const PAUSE = 150; // without so long a pause
const HEALTH_EVERY = 10_000;
const HEALTH_WAIT = 4_000;
const SILENCE = 50_000; // three heartbeats and some: the connection is dead
const SLOWEST = 15_000; // between tries
const LOGIN_TRY = 60_000;

/**
 * new Feed({onItem(item), onState(state), onHealth(health)}); an item is
 * {raw, id, at, live} or {note: reason, at}. state is {state, why, todo, retryAt, status}
 * with state connecting, live, stale, login or refused.
 */
export class Feed {
  constructor(on) {
    this.on = on;
    this.lastId = "";
    this.state = { state: "connecting" };
    this.health = null;
    this.tries = 0;
    self.addEventListener("online", () => this.running && this.look());
  }

  start() {
    if (this.running) return;
    this.running = true;
    this.open();
    this.look();
    this.ticking = setInterval(() => this.tick(), HEALTH_EVERY);
  }

  stop() {
    this.running = false;
    this.state = { state: "connecting" }; // what it is when it is started again
    this.source?.close();
    clearTimeout(this.timer);
    clearInterval(this.ticking);
  }

  /** Tries again at once, as after a log-in. */
  retry() {
    this.tries = 0;
    if (!this.running) return this.start();
    this.open();
    this.look();
  }

  /** Forgets where it was, as after a log-out. */
  forget() {
    this.lastId = "";
    this.health = null;
  }

  say(state, why = "", more = {}) {
    if (state === this.state.state && why === (this.state.why ?? "") && !more.retryAt) return;
    this.state = { state, why, ...more };
    this.on.onState(this.state);
  }

  // type=* is every event, and asks for the "cursor" events that filtered
  // streams get: a heartbeat that a page can see.
  url() {
    return `/events?type=*&${this.lastId ? `after=${encodeURIComponent(this.lastId)}` : `backlog=${BACKLOG}`}`;
  }

  open() {
    clearTimeout(this.timer);
    this.source?.close();
    const es = new EventSource(this.url());
    this.source = es;
    let burst = this.lastId ? 0 : BACKLOG, opened = 0, last = 0;
    this.beats = false;
    const mine = (f) => (m) => {
      if (es !== this.source || !this.running) return;
      this.heard = Date.now();
      f(m);
    };
    es.onopen = mine(() => {
      opened = last = this.heard;
      this.tries = 0;
      this.say("live");
    });
    es.onmessage = mine((m) => {
      this.lastId = m.lastEventId;
      // What comes at once after the opening is the backlog, and no rate.
      if (this.heard - opened > BURST || this.heard - last > PAUSE) burst = 0;
      last = this.heard;
      const live = burst-- <= 0;
      this.on.onItem({ raw: m.data, id: m.lastEventId, at: this.heard, live });
    });
    es.addEventListener("cursor", mine((m) => {
      this.beats = true;
      this.lastId = m.lastEventId;
    }));
    es.addEventListener("reset", mine((m) => {
      const { reason, oldest } = parse(m.data);
      this.on.onItem({ note: reason === "gone" ? "gone" : "replaced", at: this.heard });
      this.lastId = m.lastEventId;
      // A stream that goes on at the end of a log it does not know has shown nothing of it yet.
      if (reason === "unknown" && oldest !== m.lastEventId) {
        this.lastId = "";
        this.open();
      }
    }));
    es.onerror = () => {
      if (es !== this.source || !this.running) return;
      if (this.state.state === "live" || this.state.state === "stale") this.say("stale", "the connection was lost");
      // CLOSED: the browser gave up, as it does after an error answer.
      if (es.readyState === EventSource.CLOSED) this.probe(es);
    };
  }

  /** Asks what EventSource does not tell: which error the stream was answered with. */
  async probe(es) {
    const wait = Math.min(SLOWEST, 500 * 2 ** this.tries++);
    const abort = new AbortController();
    const late = setTimeout(() => abort.abort(), HEALTH_WAIT);
    let next = wait;
    try {
      const r = await fetch(this.url(), { signal: abort.signal, cache: "no-store" });
      if (!r.ok) {
        const body = parse(await r.text());
        if (es !== this.source || !this.running) return;
        next = this.refused(r.status, Number(r.headers.get("Retry-After")), body, wait);
      }
    } catch {
      if (this.state.state !== "connecting") this.say("stale", "the server does not answer");
    }
    clearTimeout(late);
    abort.abort();
    if (es !== this.source || !this.running) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), next);
  }

  refused(status, after, body, wait) {
    const next = status === 401 ? LOGIN_TRY : Math.max(wait, (after || 0) * 1000, status === 403 ? SLOWEST : 0);
    const { state, why, todo } = explain(status, body);
    this.say(state, why, { todo, status, retryAt: Date.now() + next });
    return next;
  }

  tick() {
    // Counted only on a server that sends what can be heard.
    if (this.beats && this.source.readyState === EventSource.OPEN && Date.now() - this.heard > SILENCE) {
      this.say("stale", "nothing came for 50 s, not even a heartbeat");
      this.open();
    }
    this.look();
  }

  async look() {
    try {
      const sent = Date.now();
      const r = await fetch("/api/health", { signal: AbortSignal.timeout(HEALTH_WAIT), cache: "no-store" });
      const got = Date.now();
      if (!r.ok) {
        if (r.status === 401 && this.state.state === "connecting") this.refused(401, 0, parse(await r.text()), 0);
        return;
      }
      const body = await r.json();
      const end = body.cursor ?? (await this.end());
      this.health = { body, end, lastId: this.lastId, heard: this.heard, beats: this.beats, offset: offsetOf(body.ts, sent, got), rtt: got - sent };
      this.on.onHealth(this.health);
      if (this.running && this.source.readyState === EventSource.OPEN) this.say("live");
    } catch {
      if (this.running && this.state.state === "live") this.say("stale", "the server does not answer");
    }
  }

  /** Where the log ends; "" when that is not told. */
  async end() {
    const r = await fetch("/events/backlog?limit=1", { signal: AbortSignal.timeout(HEALTH_WAIT), cache: "no-store" });
    return r.ok ? (/"cursor":"([^"]*)"[^{}[\]]*}\s*$/.exec(await r.text())?.[1] ?? "") : "";
  }
}

/** What the server's clock is ahead of this one, in ms; less than the answer took can't be told. */
export function offsetOf(ts, sent, got) {
  const server = Date.parse(ts);
  if (!Number.isFinite(server)) return 0;
  if (server < sent) return server - sent;
  return server > got ? server - got : 0;
}

/** How many bytes of the log lie between two cursors; undefined when they are not of one log. */
export function behind(at, end) {
  const a = /^(\w+)-(\d+)$/.exec(at), b = /^(\w+)-(\d+)$/.exec(end);
  return a && b && a[1] === b[1] ? Math.max(0, Number(b[2]) - Number(a[2])) : undefined;
}

/** An error answer in words, with what to do. */
export function explain(status, body = {}) {
  const said = String(body.error ?? "").slice(0, 300), hint = String(body.hint ?? "").slice(0, 300);
  switch (status) {
    case 401:
      return { state: "login", why: said || "this server asks who is reading", todo: hint };
    case 403:
      return { state: "refused", why: `the server refuses this page: ${said || "forbidden"}`, todo: hint || "open the address that ape-claw serve printed, or log in as an agent that may read" };
    case 429:
      return { state: "refused", why: said || "too many requests from this address", todo: hint || "wait a moment; other pages or programs on this machine ask for much" };
    case 503:
      return { state: "refused", why: said || "all streams of the server are taken", todo: hint || "close a page or a program that reads /events" };
  }
  return { state: "stale", why: `the server answered ${status}${said ? `: ${said}` : ""}`, todo: hint };
}

function parse(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
