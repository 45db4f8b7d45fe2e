-- Where in its log an item stands that a provider has given an id: requests name items by these.
ALTER TABLE gateway_keys ADD COLUMN version INTEGER;
