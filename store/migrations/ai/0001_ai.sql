-- What the AI part keeps beside the key, in the home: nothing in a directory that
-- somebody else may have prepared can name a model's address, hold an approval
-- secret or be a person's session. Times are unix milliseconds.
CREATE TABLE connections (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,          -- case-folded
  doc         TEXT NOT NULL,                 -- JSON: provider, base URL, model, tiers, identity, tools, caps, …
  status      TEXT NOT NULL,
  version     INTEGER NOT NULL DEFAULT 1,    -- compare-and-set
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;
CREATE TABLE secrets (                       -- sealed values: AEAD under the key file of the home
  name       TEXT PRIMARY KEY,
  sealed     BLOB NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE operator (                      -- one row: the passphrase, and wrong tries
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  doc          TEXT NOT NULL,                -- JSON: argon2id parameters, salt, hash
  wrong        INTEGER NOT NULL DEFAULT 0,
  locked_until INTEGER NOT NULL DEFAULT 0,
  updated_at   INTEGER NOT NULL
) STRICT;
CREATE TABLE sessions (                      -- of the operator's browser
  hash       TEXT PRIMARY KEY,               -- SHA-256 of the cookie
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  proved_at  INTEGER NOT NULL DEFAULT 0      -- when the passphrase was given last
) STRICT;
CREATE TABLE mcp_tokens (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  hash       TEXT NOT NULL UNIQUE,           -- SHA-256 of the token
  tools      TEXT NOT NULL,                  -- JSON: the preset
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE TABLE usage (
  day           TEXT NOT NULL,               -- UTC, 2006-01-02
  connection_id TEXT NOT NULL,
  turns         INTEGER NOT NULL DEFAULT 0,
  input         INTEGER NOT NULL DEFAULT 0,  -- tokens
  output        INTEGER NOT NULL DEFAULT 0,
  unknown       INTEGER NOT NULL DEFAULT 0,  -- steps whose usage the provider did not tell
  cost_micros   INTEGER NOT NULL DEFAULT 0,  -- millionths of a US dollar
  PRIMARY KEY (day, connection_id)
) STRICT, WITHOUT ROWID;
