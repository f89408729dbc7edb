-- Skill cards of this machine's library. A row's document is what was added, byte for
-- byte; the other columns are read from it. Whom a person trusts is in the home, not here: this directory may come
-- from a stranger. Times are unix milliseconds.
CREATE TABLE skill_cards (
  file         TEXT PRIMARY KEY, -- {slug}.v{version}.json
  slug         TEXT NOT NULL,
  version      TEXT NOT NULL,
  latest       INTEGER NOT NULL CHECK (latest IN (0, 1)), -- the newest of its slug
  source       TEXT NOT NULL CHECK (source IN ('user', 'imported')),
  summary      TEXT NOT NULL, -- what a search shows, as JSON
  words        TEXT NOT NULL, -- what a search looks through, in small letters
  content_hash TEXT NOT NULL,
  added_by     TEXT NOT NULL, -- agent id; '' for whoever runs this machine
  added_at     INTEGER NOT NULL,
  skill_id     TEXT NOT NULL DEFAULT '', -- its token, once the chain was seen to have this very card
  chain_id     INTEGER NOT NULL DEFAULT 0,
  tx_hash      TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX skill_cards_slug ON skill_cards (slug, latest);
CREATE INDEX skill_cards_added_by ON skill_cards (added_by);
CREATE TABLE skill_card_docs (
  file TEXT PRIMARY KEY REFERENCES skill_cards (file) ON DELETE CASCADE,
  doc  BLOB NOT NULL
) STRICT;
-- What a search looks through is kept in a file beside this database, since to read
-- that is ten times as fast as ten thousand rows. The file that has this generation in
-- its first line is of the cards as they are; else it is written anew.
CREATE TABLE skill_index (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  generation TEXT NOT NULL
) STRICT;
