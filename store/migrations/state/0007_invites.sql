-- Invites: who holds one may register an agent. Of each there is only the SHA-256.
-- Times are unix milliseconds.
CREATE TABLE invites (
  token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  uses_left  INTEGER NOT NULL CHECK (uses_left >= 0),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
