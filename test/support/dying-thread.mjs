// Preloaded into a process (NODE_OPTIONS=--import=…/dying-thread.mjs?mark=…): the first of its threads
// that asks a model ends there and then, as one does that runs out of memory, and leaves this file. With
// …?start every thread ends before it has begun.
import { existsSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const { searchParams } = new URL(import.meta.url);
const mark = searchParams.get('mark');
const { fetch } = globalThis;

if (!isMainThread) {
  if (searchParams.has('start')) throw new Error('no thread starts');
  globalThis.fetch = (...parameters) => {
    if (existsSync(mark)) return fetch(...parameters);
    writeFileSync(mark, '');
    process.exit(1);
  };
}
