-- Agents that may call this machine, and the browsers that are logged in as one.
-- Of tokens there is only the SHA-256. Times are unix milliseconds.
CREATE TABLE agents (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  token_hash BLOB NOT NULL CHECK (length(token_hash) = 32),
  generation INTEGER NOT NULL,               -- rises when the token is replaced or revoked
  enabled    INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  rotated_at INTEGER
) STRICT;

CREATE TABLE sessions (
  token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  agent_id   TEXT NOT NULL REFERENCES agents (id),
  generation INTEGER NOT NULL,               -- of the agent at log-in: another one ends the session
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_agent ON sessions (agent_id, created_at);
