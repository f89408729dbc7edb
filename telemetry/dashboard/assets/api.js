// Calls under /api. What comes back is data: only dom.js puts it on the page.

/** An error answer: message, code, hint and the status. */
export class Refusal extends Error {
  constructor(status, body = {}, after = "") {
    const said = typeof body.error === "string" && body.error ? body.error : `the server answered ${status}`;
    super(said.slice(0, 500));
    this.status = status;
    this.code = typeof body.code === "string" ? body.code : "";
    this.hint = typeof body.hint === "string" ? body.hint.slice(0, 500) : "";
    this.wait = Number(after) > 0 ? Number(after) : 0;
  }
}

export async function call(method, path, body, base = "/api/ai/") {
  let r;
  try {
    r = await fetch(base + path, {
      method, cache: "no-store", signal: AbortSignal.timeout(55_000),
      ...(body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
  } catch {
    throw new Refusal(0, { error: "The server does not answer. Is ape-claw serve running?" });
  }
  const answer = await r.json().catch(() => ({}));
  if (!r.ok) throw new Refusal(r.status, answer, r.headers.get("Retry-After"));
  return answer;
}

export const get = (path) => call("GET", path);
/** What the contracts say. */
export const read = (path) => call("GET", path, undefined, "/api/v2/");
/** What the server says of itself. */
export const look = (path) => call("GET", path, undefined, "/api/");
/** Asks the server itself to do something. */
export const tell = (path, body) => call("POST", path, body, "/api/");
export const post = (path, body) => call("POST", path, body);
export const at = (...parts) => parts.map(encodeURIComponent).join("/");
