-- What the log says of the cost of a compaction, as JSON. Those that are there are computed anew from the
-- log with the heads, when the store is opened.
ALTER TABLE compactions ADD COLUMN cost text NOT NULL
  DEFAULT '{"failed":[],"answer":null,"calls":null,"cached_share":null}';
