import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { searchContract } from '../contracts/search.ts';
import { searchOracle } from '../contracts/search-oracle.ts';

searchContract('SQLite', () => openSqliteStore({ path: ':memory:' }));
searchOracle('SQLite', () => openSqliteStore({ path: ':memory:' }));
