import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Conversation, conversationOf, textOf } from '../bench/quality/conversation.ts';
import { type Driven, drive, SUMMARY_ONLY } from '../bench/quality/drive.ts';
import { drawNeedles } from '../bench/quality/measures/needles.ts';
import { type Session, sessionsIn } from '../bench/quality/sessions.ts';
import { normalised } from '../bench/quality/words.ts';
import { DATA_FOLDER, dataFiles, isDataPresent } from '../bench/transcripts/data-files.ts';
import { remoteTarget } from '../src/cli/target.ts';
import { codecFor } from '../src/domain/items/codecs.ts';
import type { Item } from '../src/domain/items/item.ts';
import { atScale } from './support/scale.ts';
import type { ServiceProcess } from './support/service-process.ts';
import { startService } from './support/start-service.ts';

/**
 * Forty lines of each recorded session, each looked for by three of its rarest words: the item that holds
 * it is among the first five hits, whatever has happened to the session since.
 */

const isPresent = isDataPresent();
const FILES = isPresent ? dataFiles().filter((path) => !path.includes('probing')) : [];
const SEED = 1;
const WORDS = 3;
const HITS = 5;

/** `isTold`: its words stand together in a line of no more items than there are hits. */
type Needle = { line: string; q: string; isTold: boolean };
type Searched = { session: Session; id: string; driven: Driven; needles: Needle[] };

/** Every n-th file. */
const every = atScale({ brief: 17, short: 17, long: 1 });
const files = FILES.filter((_, index) => index % every === every - 1);

describe('the recorded sessions', () => {
  it(isPresent ? 'are there' : 'ARE ABSENT: no needle is looked for', () => {
    if (!isPresent) console.warn(`No recorded transcripts at ${DATA_FOLDER}.`);
    expect(files.length > 0).toBe(isPresent);
  });
});

describe.runIf(isPresent)('needles of recorded sessions', () => {
  let service: ServiceProcess;
  const searched: Searched[] = [];

  beforeAll(async () => {
    service = await startService({ PALIMPSEST_SUMMARIZATION_MODEL: 'extractive' });
    for (const file of files) {
      for (const session of sessionsIn(DATA_FOLDER, file).slice(0, 3)) {
        const id = session.name.replaceAll(/[^A-Za-z0-9._:-]+/g, '-').slice(-128);
        const driven = await drive(remoteTarget(service.url), id, session.format, SUMMARY_ONLY);
        await driven.append(session.items);
        const conversation = conversationOf(session.normalised);
        const drawn = drawNeedles(conversation, SEED).map(({ line }) => line);
        searched.push({ session, id, driven, needles: needlesOf(conversation, drawn) });
      }
    }
  }, 600_000);
  afterAll(() => service?.dispose());

  /** Of lines that no three words can tell from others, nobody could know which one is meant. */
  const expectAllFound = async () => {
    const missed = await missedOf(service.url, searched);
    const drawn = searched.reduce((n, { needles }) => n + needles.length, 0);
    const found = drawn - missed.length;
    console.info(`${found} of ${drawn} lines of ${searched.length} sessions are found`);
    expect(missed.filter(({ isTold }) => isTold)).toEqual([]);
    expect(found / drawn).toBeGreaterThan(0.99);
  };

  it('are found before compactions', expectAllFound, 600_000);

  it('are found after compactions', async () => {
    for (const { driven } of searched) await driven.compact('full');
    await expectAllFound();
  }, 600_000);

  it('are found after a restart', async () => {
    await service.stop();
    await service.restart();
    await expectAllFound();
  }, 600_000);

  it('are found by another process', async () => {
    for (const { id, session, needles } of searched.slice(0, 3)) {
      const [needle] = needles;
      if (needle === undefined) continue;
      const limit = ['--limit', String(HITS)];
      const { output } = await service.command(
        'search',
        needle.q,
        '--session',
        id,
        ...limit,
        '--json',
      );
      // It may have warned of something before that.
      const answer = output.trim().split('\n').at(-1) ?? '';
      const seqs = hitsSchema.parse(JSON.parse(answer)).data.map(({ seq }) => seq);
      const texts = await Promise.all(seqs.map((seq) => textAt(service.url, { id, session }, seq)));
      expect(texts.some((text) => text.includes(needle.line))).toBe(true);
    }
  });
});

const hitsSchema = z.object({ data: z.array(z.object({ seq: z.int() })) });
const itemsSchema = z.object({
  data: z.array(z.object({ seq: z.int(), item: z.custom<Item>() })),
});

/** What is not among the first hits of its search. */
async function missedOf(url: string, searched: readonly Searched[]) {
  const missed: (Needle & { id: string })[] = [];
  for (const { id, session, needles } of searched) {
    const texts = new Map<number, string>();
    for (const needle of needles) {
      const query = new URLSearchParams({ q: needle.q, limit: String(HITS) });
      const answer = await fetch(`${url}/sessions/${id}/search?${query}`);
      const { data } = hitsSchema.parse(await answer.json());
      let isFound = false;
      for (const { seq } of data) {
        const text = texts.get(seq) ?? (await textAt(url, { id, session }, seq));
        texts.set(seq, text);
        isFound ||= text.includes(needle.line);
      }
      if (!isFound) missed.push({ id, ...needle });
    }
  }
  return missed;
}

/** What an item says, normalised. */
async function textAt(
  url: string,
  { id, session }: Pick<Searched, 'id' | 'session'>,
  seq: number,
): Promise<string> {
  const answer = await fetch(`${url}/sessions/${id}/items?after=${seq - 1}&limit=1`);
  const codec = codecFor(session.format);
  const items = itemsSchema.parse(await answer.json()).data.filter((one) => one.seq === seq);
  return normalised(textOf(conversationOf(items.map(({ item }) => codec.normalise(item)))));
}

/** The needles of these lines of a conversation. */
function needlesOf(conversation: Conversation, drawn: readonly string[]): Needle[] {
  const itemsWith = new Map<string, Set<number>>();
  const lines: { item: number; line: string }[] = [];
  for (const { item, text } of conversation.passages) {
    for (const line of text.split('\n').map(normalised)) {
      lines.push({ item, line });
      for (const word of new Set(wordsOf(line))) {
        const items = itemsWith.get(word) ?? new Set();
        itemsWith.set(word, items.add(item));
      }
    }
  }
  return drawn.map((line) => {
    const found = (word: string) => itemsWith.get(word)?.size ?? 0;
    const words = wordsOf(line)
      .sort((a, b) => found(a) - found(b) || b.length - a.length)
      .slice(0, WORDS);
    const same = lines.filter((one) => words.every((word) => one.line.includes(word)));
    const isTold = new Set(same.map(({ item }) => item)).size <= HITS;
    // Signs without a word are looked for as they stand.
    return { line, q: words.join(' ') || line, isTold };
  });
}

/** What stands between spaces, without the signs around it; each once. */
function wordsOf(line: string): string[] {
  const words = line
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''));
  return [...new Set(words.filter(({ length }) => length > 1))];
}
