import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { searchContract } from '../contracts/search.ts';

searchContract('SQLite', () => openSqliteStore({ path: ':memory:' }));
