import { afterAll } from 'vitest';
import { idle, made } from './databases-of-file.ts';

/** A setup file: it runs for each test file anew, also where these share the modules that they load. */
afterAll(async () => {
  idle.length = 0;
  for (const database of made.splice(0)) await database.drop();
});
