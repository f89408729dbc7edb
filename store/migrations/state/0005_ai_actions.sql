-- What a model proposed and a person decides. Times are unix milliseconds.
CREATE TABLE ai_actions (
  id          TEXT PRIMARY KEY,
  state       TEXT NOT NULL,                     -- proposed, executing, executed, failed, rejected, cancelled, expired
  version     INTEGER NOT NULL DEFAULT 1,
  tool        TEXT NOT NULL,
  grade       TEXT NOT NULL,
  origin      TEXT NOT NULL,                     -- conn:<name>, mcp:<client>
  room_id     TEXT NOT NULL DEFAULT '',
  trace_id    TEXT NOT NULL,
  args_hash   TEXT NOT NULL,
  facts_hash  TEXT NOT NULL,
  doc         TEXT NOT NULL,                     -- JSON: arguments, facts, claim, taint, scope, … as proposed; never changed
  outcome     TEXT,                              -- JSON: who resolved it and how, result or error
  owner       TEXT NOT NULL DEFAULT '',          -- the process that executes it
  beat_at     INTEGER NOT NULL DEFAULT 0,        -- its last sign of life
  reported_at INTEGER,                           -- when the model was told the outcome, or that was skipped
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  resolved_at INTEGER,
  executed_at INTEGER,
  untold      TEXT NOT NULL DEFAULT ''           -- the types of its events that the log may not have yet, in their order
) STRICT;
CREATE INDEX ai_actions_state ON ai_actions (state, created_at);
CREATE INDEX ai_actions_trace ON ai_actions (trace_id);
CREATE INDEX ai_actions_untold ON ai_actions (created_at) WHERE untold <> '';
CREATE UNIQUE INDEX ai_actions_once ON ai_actions (origin, room_id, tool, args_hash) WHERE state = 'proposed';
CREATE TABLE ai_challenges (                     -- of the three steps
  id         TEXT PRIMARY KEY,
  action_id  TEXT NOT NULL REFERENCES ai_actions (id),
  facts_hash TEXT NOT NULL,
  session    TEXT NOT NULL,                      -- whose it is
  expires_at INTEGER NOT NULL,
  used_at    INTEGER
) STRICT;
CREATE TABLE ai_permits (
  id         TEXT PRIMARY KEY,
  action_id  TEXT NOT NULL REFERENCES ai_actions (id),
  subject    TEXT NOT NULL,
  doc        TEXT NOT NULL,                      -- JSON: args hash, permission, identifiers, limits
  uses_left  INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE TABLE ai_audit (                          -- append-only, each row hashed with the one before
  seq  INTEGER PRIMARY KEY,
  at   INTEGER NOT NULL,
  kind TEXT NOT NULL,
  doc  TEXT NOT NULL,
  prev TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
