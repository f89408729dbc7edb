-- Quotes and their simulations. Amounts live in the documents as decimal strings
-- of base units; the columns are what is searched by. Times are unix milliseconds.
CREATE TABLE quotes (
  id         TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  status     TEXT NOT NULL,
  doc        TEXT NOT NULL
) STRICT;
CREATE INDEX quotes_created ON quotes (created_at);

CREATE TABLE simulations (
  id       TEXT PRIMARY KEY,
  quote_id TEXT NOT NULL REFERENCES quotes (id),
  at       INTEGER NOT NULL,
  ok       INTEGER NOT NULL,
  doc      TEXT NOT NULL
) STRICT;
CREATE INDEX simulations_quote ON simulations (quote_id, at);
