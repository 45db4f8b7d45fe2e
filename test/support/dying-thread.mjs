// Preloaded into a process (NODE_OPTIONS=--import=…/dying-thread.mjs?mark=…): the first of its threads
// that asks a model ends there and then, as one does that runs out of memory, and leaves this file.
import { existsSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const mark = new URL(import.meta.url).searchParams.get('mark');
const { fetch } = globalThis;

if (!isMainThread) {
  globalThis.fetch = (...parameters) => {
    if (existsSync(mark)) return fetch(...parameters);
    writeFileSync(mark, '');
    process.exit(1);
  };
}
