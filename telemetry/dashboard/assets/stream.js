// The connection: one EventSource, which resumes by itself with its last id,
// and a look at the server's health, since a connection can die in silence.

const BACKLOG = 300;
const HEALTH_EVERY = 10_000;
const HEALTH_WAIT = 4_000;

/**
 * connect({onEvent(raw, id), onState(state, why), onReset(data), onHealth(body)})
 * state is connecting, live or stale.
 */
export function connect({ onEvent, onState, onReset, onHealth }) {
  let source, lastId = "", state = "", tries = 0, timer = 0;

  const say = (next, why = "") => {
    if (next === state && next !== "stale") return;
    state = next;
    onState(next, why);
  };

  function open(query) {
    clearTimeout(timer);
    source?.close();
    const es = new EventSource(`/events?${query}`);
    source = es;
    es.onopen = () => {
      tries = 0;
      say("live");
    };
    es.onmessage = (m) => {
      lastId = m.lastEventId;
      onEvent(m.data, m.lastEventId);
    };
    es.addEventListener("reset", (m) => {
      const data = parse(m.data);
      lastId = m.lastEventId;
      if (onReset(data) === "reload") {
        lastId = "";
        open(`backlog=${BACKLOG}`);
      }
    });
    es.onerror = () => {
      if (es !== source) return;
      say(state === "connecting" && !lastId ? "connecting" : "stale", "the connection was lost");
      // CLOSED: the browser gave up, as it does after an error answer.
      if (es.readyState === EventSource.CLOSED) {
        clearTimeout(timer);
        timer = setTimeout(() => open(resumeQuery()), Math.min(15_000, 1000 * 2 ** tries++));
      }
    };
  }

  const resumeQuery = () => (lastId ? `after=${encodeURIComponent(lastId)}` : `backlog=${BACKLOG}`);

  async function health() {
    try {
      const r = await fetch("/api/health", { signal: AbortSignal.timeout(HEALTH_WAIT), cache: "no-store" });
      if (!r.ok) throw new Error(`health answered ${r.status}`);
      onHealth(await r.json());
      if (source.readyState === EventSource.OPEN) say("live");
    } catch {
      if (state !== "connecting") say("stale", "the server does not answer");
    }
  }

  say("connecting");
  open(`backlog=${BACKLOG}`);
  health();
  setInterval(health, HEALTH_EVERY);
  addEventListener("online", health);
  document.addEventListener("visibilitychange", () => document.hidden || health());
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (e) => e.persisted && open(resumeQuery()));
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
