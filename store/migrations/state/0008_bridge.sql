-- Transfers between chains. What a row says of a route is what was quoted, and is
-- judged anew before anything is signed. Times are unix milliseconds.
CREATE TABLE bridge_requests (
  id         TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  status     TEXT NOT NULL CHECK (status IN ('quoted', 'pending', 'completed', 'refunded', 'failed')),
  doc        TEXT NOT NULL
) STRICT;
CREATE INDEX bridge_requests_created ON bridge_requests (created_at);
-- The contract of the bridge that was seen first for a chain. Another one is refused:
-- a row can only forbid, since the bridge has to name the same contract.
CREATE TABLE bridge_contracts (
  chain_id INTEGER PRIMARY KEY CHECK (chain_id > 0),
  address  TEXT NOT NULL,
  seen_at  INTEGER NOT NULL
) STRICT;
