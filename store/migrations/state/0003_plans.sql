-- Plans of nft autobuy. A plan's id is made from its document, and a plan is never
-- changed; its quotes are rows of quotes. Times are unix milliseconds.
CREATE TABLE plans (
  id         TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  doc        TEXT NOT NULL
) STRICT;
CREATE INDEX plans_created ON plans (created_at);
