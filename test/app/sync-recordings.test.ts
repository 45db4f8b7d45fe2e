import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { DATA_FOLDER, dataFiles, isDataPresent } from '../../bench/transcripts/data-files.ts';
import { atomsOf } from '../../src/domain/items/atoms.ts';
import { codecFor, type Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { jsonObjectSchema } from '../../src/domain/json.ts';
import { readTranscripts, textOf } from '../../src/importers/read-transcripts.ts';
import { atScale } from '../support/scale.ts';
import { refOf, SyncLab } from '../support/sync-lab.ts';

const RECORDINGS = fileURLToPath(new URL('../../../shared/recordings/', import.meta.url));
const isRecorded = existsSync(RECORDINGS);
const isData = isDataPresent();

let lab: SyncLab;
beforeEach(async () => {
  lab = await SyncLab.open();
});
afterEach(() => lab.close());

const exchange = z.object({
  request: z.object({
    url: z.string(),
    headers: z.record(z.string(), z.unknown()),
    body: z.unknown(),
  }),
});
const conversation = z.union([
  z.object({ messages: z.array(jsonObjectSchema) }),
  z.object({ input: z.array(jsonObjectSchema) }),
]);

type Request = { format: Format; session: string; items: Item[] };

/** The conversations of one recording, request by request in their order, by whom they are of. */
function sessionsOf(folder: string): Map<string, Request[]> {
  const sessions = new Map<string, Request[]>();
  const files = readdirSync(RECORDINGS + folder).filter((name) => /POST.*\.json$/.test(name));
  for (const file of files.sort()) {
    const read = exchange.safeParse(
      JSON.parse(readFileSync(`${RECORDINGS}${folder}/${file}`, 'utf8')),
    );
    const body = conversation.safeParse(read.data?.request.body);
    if (!read.success || !body.success) continue;
    const { headers, url } = read.data.request;
    const agent = headers['x-claude-code-agent-id'] ?? '';
    const session = `${headers['thread-id'] ?? headers['x-claude-code-session-id'] ?? ''}${agent}`;
    const items = 'messages' in body.data ? body.data.messages : body.data.input;
    const format =
      'input' in body.data
        ? 'openai-responses'
        : url.includes('/chat/')
          ? 'openai-chat'
          : 'anthropic';
    const own = sessions.get(session) ?? [];
    sessions.set(session, [...own, { format, session, items }]);
  }
  return sessions;
}

/** What the client has said, and been told: all that a context must not lose, double or put elsewhere. */
function firm(format: Format, items: readonly Item[]): string[] {
  const codec = codecFor(format);
  return items.flatMap((item) =>
    atomsOf(codec, item).flatMap(({ isFirm, text }) => (isFirm ? [text] : [])),
  );
}

/** Whether an item holds nothing that a client would send a request for. */
function isOfModel(format: Format, item: Item | undefined): boolean {
  if (item === undefined) return true;
  return atomsOf(codecFor(format), item).every((atom) => atom.isOfModel || !atom.isFirm);
}

const CLIENTS = isRecorded
  ? readdirSync(RECORDINGS).filter((name) => /^(?:03|04)/.test(name) && sessionsOf(name).size > 0)
  : [];

describe('the recorded requests', () => {
  it(isRecorded ? 'are there' : 'ARE ABSENT: no recorded client is tried', () => {
    if (!isRecorded) console.warn(`No recorded requests at ${RECORDINGS}.`);
    expect(CLIENTS.length > 0).toBe(isRecorded);
  });

  it.runIf(isRecorded).each(CLIENTS)(
    'sync without a doubled, lost or reordered item: %s',
    async (folder) => {
      for (const [session, requests] of sessionsOf(folder)) {
        const id = `${folder}${session}`.replaceAll(/[^\w-]/g, '-');
        for (const { items, format } of requests) {
          const synced = await lab.sync(id, items, { format });
          expect(synced.divergence).toBeNull();
          const said = items.filter(({ type }) => type !== 'compaction_trigger');
          expect(synced.matched + synced.appended).toBe(said.length);
          const context = synced.context.map(({ item }) => item);
          expect(firm(format, context)).toEqual(firm(format, said));
          expect(await lab.sync(id, items)).toMatchObject({ appended: 0, superseded: [] });
        }
      }
      expect((await lab.store.verify()).problems).toEqual([]);
    },
  );
});

const SAMPLE = ['claude-code/cc-08', 'codex/cx-06', 'swea-01', 'gemini-cli/'];
const FILES = isData
  ? dataFiles(inject('scale') === 'long' ? [] : SAMPLE).filter((path) => !path.includes('probing'))
  : [];

describe('the recorded transcripts', () => {
  it(isData ? 'are there' : 'ARE ABSENT: no recorded conversation is tried', () => {
    if (!isData) console.warn(`No recorded transcripts at ${DATA_FOLDER}.`);
    expect(FILES.length > 0).toBe(isData);
  });

  it.runIf(isData).each(FILES)('sync turn by turn over compactions of ours: %s', async (file) => {
    const name = basename(file);
    const transcripts = readTranscripts(name, textOf(name, readFileSync(DATA_FOLDER + file)));
    for (const [place, { format, items }] of transcripts.entries()) {
      if (items.length === 0) continue;
      const context_window = 40_000;
      const id = `d${place}`;
      await lab.create(id, format, { context_window });
      const step = Math.max(
        1,
        Math.ceil(items.length / atScale({ brief: 6, short: 12, long: 40 })),
      );
      for (let end = step; end < items.length + step; end += step) {
        const history = items.slice(0, end);
        const synced = await lab.sync(id, history);
        expect(synced).toMatchObject({ superseded: [], divergence: null });
        await lab.work();
      }
      expect(await lab.items(id)).toEqual(items);
      const head = await lab.store.head(refOf(id));
      expect(head?.state.items).toBe(items.length);
    }
    expect((await lab.store.verify()).problems).toEqual([]);
  });

  it.runIf(isData).each(FILES)('sync where the newest items only are sent: %s', async (file) => {
    const name = basename(file);
    const [transcript] = readTranscripts(name, textOf(name, readFileSync(DATA_FOLDER + file)));
    if (transcript === undefined) throw new Error(`${file} holds no conversation`);
    const { format } = transcript;
    const items = transcript.items.slice(0, atScale({ brief: 90, short: 160, long: 400 }));
    let end = 0;
    for (const at of items.keys()) {
      // A client sends what the model has not said.
      if (isOfModel(format, items[at])) continue;
      end = at + 1;
      const sent = items.slice(Math.max(0, end - 30), end);
      const synced = await lab.sync('newest', sent, { format });
      expect(synced, `${end} items`).toMatchObject({ session_id: 'newest', divergence: null });
    }
    expect(firm(format, await lab.items('newest'))).toEqual(firm(format, items.slice(0, end)));
    expect((await lab.store.verify()).problems).toEqual([]);
  });
});
