-- Transactions that take the place of a stuck one, outcomes that a reorganisation
-- takes back, and nonces that somebody else used. The table tx is made anew, since
-- SQLite can't change a CHECK.
CREATE TABLE tx_new (
  id          TEXT PRIMARY KEY,
  key         TEXT NOT NULL,
  chain_id    INTEGER NOT NULL,
  account     TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('intended', 'signed', 'sent', 'confirmed', 'reverted', 'unknown', 'refused', 'abandoned', 'cancelled', 'replaced')),
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
  updated_at  INTEGER NOT NULL,
  round       INTEGER NOT NULL DEFAULT 0,    -- how often an outcome was taken back
  won         INTEGER NOT NULL DEFAULT 0,    -- which form was mined: 0 the original, else tx_replacement.n
  passed_at   INTEGER                        -- since when the chain is seen to have used the nonce for none of ours
) STRICT;
INSERT INTO tx_new (id, key, chain_id, account, state, nonce, to_addr, value, data, gas_limit, max_fee, max_tip, digest, spend_ids,
    hash, raw, block, block_hash, gas_used, gas_price, reason, context, created_at, updated_at)
  SELECT id, key, chain_id, account, state, nonce, to_addr, value, data, gas_limit, max_fee, max_tip, digest, spend_ids,
    hash, raw, block, block_hash, gas_used, gas_price, reason, context, created_at, updated_at FROM tx ORDER BY rowid;
CREATE TABLE tx_event_new (
  tx_id  TEXT NOT NULL REFERENCES tx_new (id),
  step   TEXT NOT NULL,
  line   BLOB NOT NULL,
  logged INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tx_id, step)
) STRICT;
INSERT INTO tx_event_new (tx_id, step, line, logged) SELECT tx_id, step, line, logged FROM tx_event ORDER BY rowid;
DROP TABLE tx_event;
DROP TABLE tx;
ALTER TABLE tx_new RENAME TO tx;
ALTER TABLE tx_event_new RENAME TO tx_event;
-- A key is used once: only a transaction that never left, that a node says it
-- refused, or whose cancellation was mined, frees it.
CREATE UNIQUE INDEX tx_key ON tx (key) WHERE state NOT IN ('abandoned', 'refused', 'cancelled');
CREATE INDEX tx_open ON tx (chain_id, account, state);

-- The other forms of a transaction: with its nonce, of which the chain takes one.
CREATE TABLE tx_replacement (
  tx_id      TEXT NOT NULL REFERENCES tx (id),
  n          INTEGER NOT NULL CHECK (n > 0),  -- 1, 2, …
  kind       TEXT NOT NULL CHECK (kind IN ('cancel', 'reprice')),
  state      TEXT NOT NULL CHECK (state IN ('intended', 'signed', 'sent', 'unknown', 'refused', 'abandoned')),
  gas_limit  INTEGER NOT NULL,
  max_fee    TEXT NOT NULL,
  max_tip    TEXT NOT NULL,
  digest     BLOB NOT NULL,
  spend_ids  TEXT NOT NULL,                   -- what is reserved beyond the transaction's own
  hash       TEXT,
  raw        BLOB,
  reason     TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tx_id, n)
) STRICT;
