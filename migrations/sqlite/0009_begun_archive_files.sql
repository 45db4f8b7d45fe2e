-- Somebody may still be writing a file that was begun: it stays noted when its session is erased, until
-- that process has removed it or is taken for dead. Else a file that came after the erase would be known
-- to nobody.
DROP TRIGGER archive_erased;
CREATE TRIGGER archive_erased AFTER DELETE ON sessions BEGIN
  UPDATE archive_files SET state = 'unneeded'
    WHERE tenant = old.tenant AND session_id = old.session_id AND state <> 'begun';
END;
