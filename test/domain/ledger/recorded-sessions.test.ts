import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DATA_FOLDER, dataFiles, isDataPresent } from '../../../bench/transcripts/data-files.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Normalised } from '../../../src/domain/items/item.ts';
import { pairedParts } from '../../../src/domain/items/pairing.ts';
import { advanceLedger, type LedgerItem } from '../../../src/domain/ledger/advance.ts';
import { EMPTY_LEDGER, type Ledger, ledgerSchema } from '../../../src/domain/ledger/ledger.ts';
import { cleaned, oneLine } from '../../../src/domain/text.ts';
import { readTranscripts } from '../../../src/importers/read-transcripts.ts';
import { atScale } from '../../support/scale.ts';

const isPresent = isDataPresent();
/** Sessions of different agents. */
const SAMPLE = ['claude-code/cc-08', 'codex/cx-06', 'mini-swe-agent/mini-02', 'swea-01'];
const FILES = isPresent ? dataFiles(SAMPLE) : [];
/** Items of a session that are looked at. */
const MOST_ITEMS = atScale({ brief: 400, short: 2_000, long: 100_000 });

test(
  isPresent ? 'recorded sessions are there' : 'RECORDED SESSIONS ARE ABSENT: none is tried',
  () => {
    if (!isPresent) console.warn(`No recorded sessions at ${DATA_FOLDER}.`);
    expect(FILES.length > 0).toBe(isPresent);
  },
);

function itemsOf(file: string): LedgerItem[] {
  const [transcript] = readTranscripts(file, readFileSync(join(DATA_FOLDER, file)));
  if (transcript === undefined) throw new Error(`${file} holds no conversation`);
  const codec = codecFor(transcript.format);
  return transcript.items
    .slice(0, MOST_ITEMS)
    .map((item, index) => ({ seq: index + 1, item: codec.normalise(item) }));
}

/** The log in at most so many pieces, none of which parts a call from its result. */
function piecesOf(log: readonly LedgerItem[], most: number): LedgerItem[][] {
  const paired = pairedParts(log.map(({ item }) => item));
  const isParted = new Array<boolean>(log.length + 1).fill(false);
  for (const { part, at, partner } of paired) {
    const other = partner === null ? undefined : paired[partner];
    if (part.kind !== 'tool_call' || other === undefined) continue;
    for (let i = Math.min(at, other.at) + 1; i <= Math.max(at, other.at); i++) isParted[i] = true;
  }
  const pieces: LedgerItem[][] = [];
  let from = 0;
  for (let at = 1; at <= log.length; at++) {
    if (at < log.length && (isParted[at] === true || at - from < log.length / most)) continue;
    pieces.push(log.slice(from, at));
    from = at;
  }
  return pieces;
}

const fold = (ledger: Ledger, items: readonly LedgerItem[]) =>
  ledgerSchema.parse(JSON.parse(JSON.stringify(advanceLedger(ledger, items))));

/** All that is said in an item, its calls and results included, as a quote of it would read. */
function sayings(item: Normalised | undefined): string {
  if (item === undefined) return '';
  if (item.kind === 'attachment') return item.text;
  if (item.kind !== 'message') return '';
  const texts = item.parts.flatMap((part) => {
    if (part.kind === 'text') return [part.text];
    if (part.kind === 'tool_call') return [JSON.stringify(part.input), String(part.input)];
    if (part.kind !== 'tool_result') return [];
    return part.content.flatMap((one) => (one.kind === 'text' ? [one.text] : []));
  });
  return texts.join('\n');
}

/** Words as they stand in a text, whatever stands between them. */
const bare = (text: string) => oneLine(text.replace(/[^\p{L}\p{N}]+/gu, ' '));

describe.each(FILES)('%s', (file) => {
  const log = itemsOf(file);
  const once = fold(EMPTY_LEDGER, log);
  const saidAt = new Map(log.map(({ seq, item }) => [seq, sayings(item)]));

  /** Whether words that may have been shortened stand in the item. */
  const isSaidAt = (seq: number, words: string) => {
    const source = saidAt.get(seq) ?? '';
    const text = `${bare(source)} ${bare(cleaned(source))}`;
    return words
      .split(/ … \[\d+ characters left out\] … |…$/)
      .every((piece) => text.includes(bare(piece)));
  };

  test('ten advances give the ledger of one, in all that is within its bounds', () => {
    const pieces = piecesOf(log, 10);
    expect(pieces.length).toBeGreaterThan(1);
    const chained = pieces.reduce(fold, EMPTY_LEDGER);
    const gaveWay = new Set([...Object.keys(chained.condensed), ...Object.keys(once.condensed)]);
    const bounded = (ledger: Ledger) => ({
      ...ledger,
      condensed: {},
      requests: gaveWay.has('request') ? [] : ledger.requests,
      constraints: gaveWay.has('constraint') ? [] : ledger.constraints,
      conclusions: gaveWay.has('finding') ? [] : ledger.conclusions,
      files: gaveWay.has('change') ? [] : ledger.files,
      runs: gaveWay.has('run') ? [] : ledger.runs,
      failures: gaveWay.has('error') ? [] : ledger.failures,
      artifacts: gaveWay.has('artifact') ? [] : ledger.artifacts,
      names: gaveWay.has('name') ? [] : ledger.names,
    });
    expect(bounded(chained)).toEqual(bounded(once));
  });

  test('what was asked and demanded stands in the log where the ledger says', () => {
    const facts = [...once.requests, ...once.constraints];
    expect(facts.length).toBeGreaterThan(0);
    expect(facts.filter(({ seq, text }) => !isSaidAt(seq, text))).toEqual([]);
  });

  test('so do conclusions, artifacts and what the assistant said last', () => {
    expect(once.conclusions.filter(({ seq, text }) => !isSaidAt(seq, text))).toEqual([]);
    expect(once.artifacts.filter(({ last_seq, value }) => !isSaidAt(last_seq, value))).toEqual([]);
    expect(once.said.filter(({ seq, text }) => !isSaidAt(seq, text))).toEqual([]);
  });

  test('the lines of failures and runs stand in the results', () => {
    const lines = [
      ...once.failures.flatMap(({ last_seq, lines }) => lines.map((line) => ({ last_seq, line }))),
      ...once.runs.map(({ last_seq, line }) => ({ last_seq, line })),
    ];
    expect(lines.filter(({ last_seq, line }) => !isSaidAt(last_seq, line))).toEqual([]);
  });

  test('every name stands somewhere', () => {
    const all = [...saidAt.values()].join('\n');
    const names = once.names.map(({ name }) => name);
    expect(names.filter((name) => !all.includes(name))).toEqual([]);
  });
});
