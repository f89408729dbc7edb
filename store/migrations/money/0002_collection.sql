-- Which collection a spend is for: its contract in lower case, '' for none. The
-- gas of a purchase carries its collection too. A window's rows are read whole
-- and summed by the program, so that a row that makes no sense spoils every sum:
-- the column needs no index.
ALTER TABLE spend ADD COLUMN collection TEXT NOT NULL DEFAULT '';
