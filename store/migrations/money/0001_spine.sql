-- The spend ledger (policy) and the transaction journal (chain). Amounts are TEXT,
-- decimal strings of base units, and are summed by the program, never by SQL.
-- Times are unix milliseconds.
CREATE TABLE spend (
  id          TEXT PRIMARY KEY,
  chain_id    INTEGER NOT NULL,
  account     TEXT NOT NULL,
  asset       TEXT NOT NULL,                 -- 'native' or a contract address in lower case
  subject     TEXT NOT NULL,                 -- on whose behalf; '' for nobody in particular
  kind        TEXT NOT NULL,
  ref         TEXT NOT NULL,                 -- idempotency key of what it pays for
  amount      TEXT NOT NULL,                 -- reserved
  settled     TEXT,                          -- what it cost in the end
  state       TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'released')),
  reserved_at INTEGER NOT NULL,
  closed_at   INTEGER,
  CHECK ((state = 'reserved') = (closed_at IS NULL)),
  CHECK ((state = 'settled') = (settled IS NOT NULL))
) STRICT;
CREATE INDEX spend_window ON spend (chain_id, asset, closed_at);
CREATE INDEX spend_ref ON spend (ref);

-- The latest time the ledger has seen: its window never goes back.
CREATE TABLE clock (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  high_water INTEGER NOT NULL
) STRICT;

CREATE TABLE tx (
  id          TEXT PRIMARY KEY,
  key         TEXT NOT NULL,
  chain_id    INTEGER NOT NULL,
  account     TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('intended', 'signed', 'sent', 'confirmed', 'reverted', 'unknown', 'refused', 'abandoned')),
  nonce       INTEGER,
  to_addr     TEXT NOT NULL,
  value       TEXT NOT NULL,
  data        BLOB NOT NULL,
  gas_limit   INTEGER NOT NULL,
  max_fee     TEXT NOT NULL,
  max_tip     TEXT NOT NULL,
  digest      BLOB NOT NULL,
  spend_ids   TEXT NOT NULL,
  hash        TEXT,
  raw         BLOB,
  block       INTEGER,
  block_hash  TEXT,
  gas_used    INTEGER,
  gas_price   TEXT,
  reason      TEXT,
  context     TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;
-- A key is used once: only a transaction that never left, or that a node says it refused, frees it.
CREATE UNIQUE INDEX tx_key ON tx (key) WHERE state NOT IN ('abandoned', 'refused');
CREATE INDEX tx_open ON tx (chain_id, account, state);

-- The event line of each step, stored with the step; logged turns 1 once the log has it.
CREATE TABLE tx_event (
  tx_id  TEXT NOT NULL REFERENCES tx (id),
  step   TEXT NOT NULL,
  line   BLOB NOT NULL,
  logged INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tx_id, step)
) STRICT;
