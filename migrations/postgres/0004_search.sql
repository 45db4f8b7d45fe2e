-- The search index (SPEC 2, section 21), a projection that an indexer writes behind the appends.
-- The version of the tokens in it: with another one it is built anew.
CREATE TABLE search_version (version integer NOT NULL);
INSERT INTO search_version VALUES (0);

-- How far each session is indexed; written in the transaction of the rows.
CREATE TABLE search_sessions (
  session_order bigint PRIMARY KEY REFERENCES sessions (created_order) ON DELETE CASCADE,
  version bigint NOT NULL,
  documents bigint NOT NULL,
  -- Of these, the last ones: what is written already of the events after the version.
  begun bigint NOT NULL
);

-- What is found. The id is the session's created_order * 2^26 + the number of the document in it.
CREATE TABLE search_documents (
  id bigint PRIMARY KEY,
  seq bigint NOT NULL,
  part integer NOT NULL,
  at_ms bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  role text COLLATE "C",
  tool text COLLATE "C",
  -- Of calls only: their results are named after it.
  call_id text COLLATE "C"
);

CREATE INDEX search_calls ON search_documents (call_id) WHERE call_id IS NOT NULL;

-- Up to 128 documents that follow each other share a row: the lexemes are our tokens, the positions are
-- the documents that have them. A row for each document would be as large as the text.
CREATE TABLE search_blocks (
  first_id bigint PRIMARY KEY,
  documents integer NOT NULL,
  -- Of the tokens; PostgreSQL ends at 1 MB.
  bytes integer NOT NULL,
  tokens tsvector NOT NULL
);

-- Its own compression gives up on a tsvector, whose beginning does not repeat itself. Where the server
-- was built without lz4, or is older, the index is larger.
DO $$ BEGIN
  EXECUTE 'ALTER TABLE search_blocks ALTER COLUMN tokens SET COMPRESSION lz4';
EXCEPTION WHEN feature_not_supported OR syntax_error OR invalid_parameter_value THEN NULL;
END $$;

-- Without a list of pending entries, which each search would read and which doubles the space.
CREATE INDEX search_blocks_by_token ON search_blocks USING gin (tokens) WITH (fastupdate = off);

CREATE FUNCTION search_erase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- First: it waits for who indexes the session, and sees what that has written.
  DELETE FROM search_sessions WHERE session_order = old.created_order;
  DELETE FROM search_blocks
    WHERE first_id >= old.created_order << 26 AND first_id < (old.created_order + 1) << 26;
  DELETE FROM search_documents
    WHERE id >= old.created_order << 26 AND id < (old.created_order + 1) << 26;
  RETURN NULL;
END $$;

CREATE TRIGGER search_erased AFTER DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION search_erase();
