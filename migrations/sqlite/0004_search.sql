-- The search index (SPEC 2, section 21), a projection that an indexer writes behind the appends.
-- The version of the tokens in it: with another one it is built anew.
CREATE TABLE search_version (version INTEGER NOT NULL) STRICT;
INSERT INTO search_version VALUES (0);

-- How far each session is indexed; written in the transaction of the rows.
CREATE TABLE search_sessions (
  session_order INTEGER PRIMARY KEY REFERENCES sessions (created_order) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  -- Of these, the last ones: what is written already of the events after the version.
  begun INTEGER NOT NULL
) STRICT;

-- What is found. The id is the session's created_order * 2^26 + the number of the document in it, so
-- that the documents of a session lie together, in their order, in the index as well.
CREATE TABLE search_documents (
  id INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  part INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  role TEXT,
  tool TEXT,
  -- Of calls only: their results are named after it.
  call_id TEXT
) STRICT;

CREATE INDEX search_calls ON search_documents (call_id) WHERE call_id IS NOT NULL;

-- The tokens of our own tokenizer, joined by spaces; neither they nor the text are stored.
CREATE VIRTUAL TABLE search_tokens USING fts5 (
  tokens, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);

CREATE TRIGGER search_erased AFTER DELETE ON sessions BEGIN
  DELETE FROM search_tokens
    WHERE rowid >= old.created_order << 26 AND rowid < (old.created_order + 1) << 26;
  DELETE FROM search_documents
    WHERE id >= old.created_order << 26 AND id < (old.created_order + 1) << 26;
END;
