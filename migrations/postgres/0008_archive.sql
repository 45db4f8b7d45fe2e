-- Sessions whose events are in an archive keep all other rows (decision 0055). The file that has the
-- events, and the version of the shape of the head when they went there.
ALTER TABLE sessions ADD COLUMN archive_file text COLLATE "C";
ALTER TABLE sessions ADD COLUMN archive_head_version integer;
CREATE INDEX sessions_archived ON sessions (created_order) WHERE archive_file IS NOT NULL;

-- Every file that is, or may be, in the archive: `begun` before it is written, `kept` while a session has
-- it, `unneeded` until it is removed. So none is left there that nobody knows of, whatever is killed when.
CREATE TABLE archive_files (
  file text COLLATE "C" NOT NULL PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  begun_at text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL
);

CREATE INDEX archive_files_of_session ON archive_files (tenant, session_id);
CREATE INDEX archive_files_to_remove ON archive_files (begun_at) WHERE state <> 'kept';

CREATE FUNCTION archive_erase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE archive_files SET state = 'unneeded'
    WHERE tenant = old.tenant AND session_id = old.session_id;
  RETURN NULL;
END $$;

CREATE TRIGGER archive_erased AFTER DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION archive_erase();
