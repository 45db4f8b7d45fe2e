import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { z } from 'zod';
import { COMPACTIONS, type Entry, STORES } from '../peers/catalogue.ts';
import type { Message } from '../peers/message.ts';
import { Servers } from '../servers.ts';
import { installPeers, nodeOfPeers, PEERS, versionOf } from './install.ts';
import { syntheticSession } from './synthetic.ts';
import { COMPACTION_HEADING, compactionRow, printTable, STORE_HEADING, storeRow } from './table.ts';
import { messagesAt } from './transcript-session.ts';

const SHORT = { length: 100, appends: 200 };
/** Fewer: what writes the whole session again for each of them takes a second and 20 MB. */
const LONG = { length: 10_000, appends: 50 };
const COMPACTION_REPEATS = 7;
const MEASURE_LIMIT_MS = 600_000;

const storeSchema = z.object({
  append_ms: z.number(),
  bytes_per_append: z.number(),
  json_per_append: z.number(),
  read_ms: z.number(),
  peak_bytes: z.number(),
});

const compactionSchema = z.object({
  milliseconds: z.number(),
  messages_before: z.number(),
  messages_after: z.number(),
  tokens_after: z.number(),
  unpaired_before: z.number(),
  unpaired: z.number(),
  peak_bytes: z.number(),
});

await new Command('bench:peers')
  .description('Measures the service beside other systems that keep or compact conversations.')
  .argument('[path]', 'a recorded transcript, or a folder of them; by default a synthetic session')
  .option('--only <text>', 'only rows whose name contains this')
  .action(run)
  .parseAsync();

async function run(path: string | undefined, { only = '' }: { only?: string }): Promise<void> {
  installPeers();
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-peers-'));
  const servers = new Servers();
  try {
    const length = LONG.length + LONG.appends;
    const session = join(folder, 'session.json');
    const messages =
      path === undefined ? syntheticSession(length) : repeated(await messagesAt(path), length);
    writeFileSync(session, JSON.stringify(messages));
    const stores = await rowsOf(STORES, only, async (entry) => {
      const at = async (plan: typeof SHORT) => {
        const place = await newPlace(entry, folder, servers);
        const job = { kind: 'store', name: entry.name, place, session, ...plan };
        return storeSchema.parse(await measure(job));
      };
      return storeRow(entry, versionOf(entry.version_of), await at(SHORT), await at(LONG));
    });
    const compactions = await rowsOf(COMPACTIONS, only, async (entry) => {
      const place = await newPlace(entry, folder, servers);
      const repeats = COMPACTION_REPEATS;
      const job = { kind: 'compaction', name: entry.name, place, session, repeats };
      const result = compactionSchema.parse(await measure(job));
      return compactionRow(entry, versionOf(entry.version_of), result);
    });
    printTable(STORE_HEADING, stores);
    printTable(COMPACTION_HEADING, compactions);
    const load = loadavg().map((one) => one.toFixed(1));
    console.log(
      `\n${cpus().length} cores; load average over 1, 5 and 15 minutes: ${load.join(', ')}`,
    );
  } finally {
    await servers.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A system that fails is said, and the others go on. */
async function rowsOf(
  entries: readonly Entry[],
  only: string,
  rowOf: (entry: Entry) => Promise<string[]>,
): Promise<string[][]> {
  const rows: string[][] = [];
  for (const entry of entries) {
    if (!entry.name.toLowerCase().includes(only.toLowerCase())) continue;
    try {
      rows.push(await rowOf(entry));
    } catch (error) {
      console.error(`${entry.name}: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
  }
  return rows;
}

/** Recordings again and again, with ids of their own each time, until they are so many messages. */
function repeated(messages: readonly Message[], length: number): Message[] {
  const rounds = Math.ceil(length / messages.length);
  return Array.from({ length: rounds }, (_, round) =>
    messages.map((message) => inRound(message, round)),
  )
    .flat()
    .slice(0, length);
}

function inRound(message: Message, round: number): Message {
  const own = (id: string) => `${round}_${id}`;
  switch (message.role) {
    case 'user':
      return message;
    case 'tool':
      return { ...message, call_id: own(message.call_id) };
    case 'assistant': {
      const calls = message.calls.map((call) => ({ ...call, id: own(call.id) }));
      return { ...message, calls };
    }
  }
}

async function newPlace({ on }: Entry, folder: string, servers: Servers) {
  return {
    folder: mkdtempSync(join(folder, 'place-')),
    url: on === 'postgres' ? await servers.newDatabase() : null,
  };
}

/** Runs one measurement in a process of its own; its last line is the result. */
async function measure(job: { name: string; kind: string } & Record<string, unknown>) {
  console.error(`measuring ${job.kind} ${job.name} …`);
  const script = join(PEERS, 'measure.ts');
  const { stdout } = await promisify(execFile)(nodeOfPeers(), [script, JSON.stringify(job)], {
    timeout: MEASURE_LIMIT_MS,
    // Nothing of the caller's settings may change what is measured.
    env: { PATH: process.env.PATH, HOME: tmpdir() },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}
