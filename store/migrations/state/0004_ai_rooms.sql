-- Conversations with a model: rooms, their messages, and the turns that wrote them.
-- Times are unix milliseconds.
CREATE TABLE ai_rooms (
  id                TEXT PRIMARY KEY,
  kind              TEXT NOT NULL,               -- direct; later group, app
  title             TEXT NOT NULL,
  connection        TEXT NOT NULL,               -- name
  last_seq          INTEGER NOT NULL DEFAULT 0,
  context_after_seq INTEGER NOT NULL DEFAULT 0,
  created_at        INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL
) STRICT;
CREATE TABLE ai_messages (
  id         TEXT PRIMARY KEY,
  room_id    TEXT NOT NULL REFERENCES ai_rooms (id),
  seq        INTEGER NOT NULL,
  role       TEXT NOT NULL,                      -- user, assistant, tool, system
  author     TEXT NOT NULL,
  blocks     TEXT NOT NULL,                      -- JSON
  status     TEXT NOT NULL,                      -- ok, failed, cancelled
  error      TEXT,                               -- JSON {code, message}
  usage      TEXT,                               -- JSON
  turn_id    TEXT NOT NULL DEFAULT '',
  trace_id   TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  UNIQUE (room_id, seq)
) STRICT;
CREATE TABLE ai_turns (
  id          TEXT PRIMARY KEY,
  room_id     TEXT NOT NULL REFERENCES ai_rooms (id),
  participant TEXT NOT NULL,
  cause       TEXT NOT NULL,                     -- user, callback
  state       TEXT NOT NULL,                     -- running, done, failed, cancelled, interrupted
  trace_id    TEXT NOT NULL,
  tool_calls  INTEGER NOT NULL DEFAULT 0,
  error       TEXT,
  owner       TEXT NOT NULL DEFAULT '',          -- the process that runs it
  beat_at     INTEGER NOT NULL,                  -- its last sign of life
  started_at  INTEGER NOT NULL,
  ended_at    INTEGER
) STRICT;
CREATE INDEX ai_turns_room ON ai_turns (room_id, started_at);
CREATE INDEX ai_messages_trace ON ai_messages (trace_id);
