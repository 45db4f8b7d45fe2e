-- The search index (0004) knows the order of words: a phrase of words that stand nearly everywhere is found
-- without reading their texts (decision 0045). What was written without it is written anew: its version
-- differs.
DROP TABLE search_tokens;

-- `words` are the parts of the text in their order, `names` what they are found by besides.
CREATE VIRTUAL TABLE search_tokens USING fts5 (
  words, names, content = '', contentless_delete = 1, detail = full, tokenize = 'ascii'
);
