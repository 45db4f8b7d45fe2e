-- The search index of PostgreSQL in segments of its own (decision 0045) instead of blocks under GIN: half as
-- large, and a word is found without reading what else a block holds. What was written before is written
-- anew: its version differs.
DROP TABLE search_blocks;

-- Documents of a session that follow each other. Segments are joined as they grow.
CREATE TABLE search_segments (
  first_id bigint PRIMARY KEY,
  documents integer NOT NULL,
  -- Of its pages.
  bytes integer NOT NULL
);

-- The tokens of a segment in their order, each with the documents that have it, in pages of which four fit
-- into a page of PostgreSQL. The token, in UTF-16 and so in the order of JavaScript, is the first of the page.
CREATE TABLE search_pages (
  first_id bigint NOT NULL,
  token bytea NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (first_id, token)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE search_pages ALTER COLUMN data SET STORAGE EXTERNAL;

-- The words of a document in their order, each as a byte: what does not hold the bytes of a phrase does not
-- hold the phrase.
CREATE TABLE search_words (
  id bigint PRIMARY KEY,
  words bytea NOT NULL
);
ALTER TABLE search_words ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE OR REPLACE FUNCTION search_erase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- First: it waits for who indexes the session, and sees what that has written.
  DELETE FROM search_sessions WHERE session_order = old.created_order;
  DELETE FROM search_pages
    WHERE first_id >= old.created_order << 26 AND first_id < (old.created_order + 1) << 26;
  DELETE FROM search_segments
    WHERE first_id >= old.created_order << 26 AND first_id < (old.created_order + 1) << 26;
  DELETE FROM search_words
    WHERE id >= old.created_order << 26 AND id < (old.created_order + 1) << 26;
  DELETE FROM search_documents
    WHERE id >= old.created_order << 26 AND id < (old.created_order + 1) << 26;
  RETURN NULL;
END $$;
