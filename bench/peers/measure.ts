import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { COMPACTIONS, type Entry, STORES } from './catalogue.ts';
import { type Message, tokensOf, unpaired } from './message.ts';
import type { CompactionPeer, OpenStore, Place, StorePeer } from './peer.ts';

/*
 * One measurement of one system, in a process of its own: `measure.ts JOB`. Its last line is the result as
 * JSON. Run by run.ts with a Node that all systems take.
 */

type Job =
  | { kind: 'store'; name: string; place: Place; session: string; length: number; appends: number }
  | { kind: 'compaction'; name: string; place: Place; session: string; repeats: number };

const COMPACTED_TOKENS = 200_000;
const READS = 3;
/** Appending ends then, where one takes seconds, but not before a few were measured. */
const APPENDING_MS = 30_000;
const LEAST_APPENDS = 5;

const job: Job = JSON.parse(process.argv[2] ?? '');
const session: Message[] = JSON.parse(readFileSync(job.session, 'utf8'));
const result = job.kind === 'store' ? await measureStore(job) : await measureCompaction(job);
console.log(JSON.stringify(result));
// Some systems keep connections that nothing closes.
process.exit(0);

async function measureStore({ name, place, length, appends }: Job & { kind: 'store' }) {
  const open: StorePeer = await chosen(STORES, name);
  await using(open, place, (store) => store.fill(session.slice(0, length)));
  const before = await bytesOf(place);
  const times = await using(open, place, async (store) => {
    // What is loaded and prepared once is not the append.
    await store.append(at(length));
    const taken: number[] = [];
    const deadline = performance.now() + APPENDING_MS;
    for (let index = 1; index < appends; index++) {
      taken.push(await timed(() => store.append(at(length + index))));
      if (taken.length >= LEAST_APPENDS && performance.now() > deadline) break;
    }
    return taken;
  });
  const bytes = (await bytesOf(place)) - before;
  const stored = times.length + 1;
  const reads: number[] = [];
  for (let index = 0; index < READS; index++) {
    reads.push(
      await using(open, place, (store) =>
        timed(async () => {
          const read = await store.read();
          // More where an open call is given a result, without which providers refuse.
          if (read < length + stored) throw new Error(`${name} read ${read} messages`);
        }),
      ),
    );
  }
  const sent = session.slice(length, length + stored);
  return {
    append_ms: median(times),
    bytes_per_append: bytes / stored,
    json_per_append: Buffer.byteLength(JSON.stringify(sent)) / stored,
    read_ms: median(reads),
    peak_bytes: process.resourceUsage().maxRSS * 1024,
  };
}

async function measureCompaction({ name, place, repeats }: Job & { kind: 'compaction' }) {
  const compact: CompactionPeer = await chosen(COMPACTIONS, name);
  const context = contextOf(COMPACTED_TOKENS);
  const times: number[] = [];
  // The first one warms up and does not count.
  for (let index = 0; index < repeats; index++) {
    const folder = join(place.folder, String(index));
    mkdirSync(folder);
    times.push((await compact(context, { ...place, folder })).milliseconds);
  }
  const folder = join(place.folder, 'last');
  mkdirSync(folder);
  const last = await compact(context, { ...place, folder });
  return {
    milliseconds: median([...times.slice(1), last.milliseconds]),
    messages_before: context.length,
    messages_after: last.messages.length,
    tokens_after: Math.round(last.characters / 4),
    unpaired_before: unpaired(context.map(pairingOf)),
    unpaired: unpaired(last.messages),
    peak_bytes: process.resourceUsage().maxRSS * 1024,
  };
}

function pairingOf(message: Message) {
  return {
    calls: message.role === 'assistant' ? message.calls.map(({ id }) => id) : [],
    result: message.role === 'tool' ? message.call_id : null,
  };
}

/** The first messages that have so many tokens; they end with a whole turn. */
function contextOf(tokens: number): Message[] {
  let sum = 0;
  const end = session.findIndex((message) => {
    const isFull = sum >= tokens && message.role === 'user';
    sum += tokensOf(message);
    return isFull;
  });
  if (end < 0) throw new Error('the session is too short');
  return session.slice(0, end);
}

/** Only what is measured is loaded, so that the memory is its own. */
async function chosen(entries: readonly Entry[], name: string) {
  const entry = entries.find((one) => one.name === name);
  if (entry === undefined) throw new Error(`nothing is called ${name}`);
  return (await import(entry.module))[entry.member];
}

async function using<T>(open: StorePeer, place: Place, use: (store: OpenStore) => Promise<T>) {
  const store = await open(place);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

function at(index: number): Message {
  const message = session[index];
  if (message === undefined) throw new Error('the session is too short');
  return message;
}

/** Of its files or of its database, vacuumed: what updates leave behind is used again. */
async function bytesOf({ folder, url }: Place): Promise<number> {
  if (url === null) {
    for (const name of readdirSync(folder)) {
      if (name.endsWith('.db')) writeBack(join(folder, name));
    }
    const files = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    return files.reduce((sum, size) => sum + size, 0);
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('VACUUM');
    const { rows } = await client.query<{ bytes: string }>(
      'SELECT pg_database_size(current_database()) AS bytes',
    );
    return Number(rows[0]?.bytes);
  } finally {
    await client.end();
  }
}

/**
 * What the journal still holds: not every system does it when it closes. In a process of its own: a second
 * SQLite in this one would drop the locks of theirs.
 */
function writeBack(file: string): void {
  const script =
    "const db = require('better-sqlite3')(process.argv[1]); db.pragma('wal_checkpoint(TRUNCATE)'); db.close();";
  execFileSync(process.execPath, ['-e', script, file], { cwd: import.meta.dirname });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
