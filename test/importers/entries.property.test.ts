import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import { TranscriptError } from '../../src/importers/transcript.ts';
import { bytesOf, fixture, sum } from './fixtures.ts';

const FILES = [
  'claude-code.jsonl',
  'codex.jsonl',
  'pi.jsonl',
  'droid.jsonl',
  'copilot-cli.jsonl',
  'chat-lines.jsonl',
] as const;

/** A line of a fixture with fields anywhere in it replaced by any JSON, or cut off somewhere. */
function damaged(line: string): fc.Arbitrary<string> {
  const cut = fc.nat({ max: line.length }).map((end) => line.slice(0, end));
  const value = JSON.parse(line);
  const changed = fc
    .tuple(fc.constantFrom(...pathsOf(value)), fc.jsonValue({ maxDepth: 2 }))
    .map(([path, json]) => JSON.stringify(replaced(value, path, json)));
  return fc.oneof({ weight: 4, arbitrary: fc.constant(line) }, changed, cut);
}

function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [key],
    ...pathsOf(inner).map((path) => [key, ...path]),
  ]);
}

function replaced(value: unknown, [key, ...rest]: string[], json: unknown): unknown {
  if (key === undefined) return json;
  if (Array.isArray(value)) {
    return value.map((inner, at) => (String(at) === key ? replaced(inner, rest, json) : inner));
  }
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([name, inner]) =>
      name === key ? [name, replaced(inner, rest, json)] : [name, inner],
    ),
  );
}

describe('items and skipped entries', () => {
  it.each(FILES)('make up a damaged %s, in whatever order its lines stand', (name) => {
    const lines = new TextDecoder()
      .decode(fixture(name))
      .split('\n')
      .filter((line) => line.endsWith('}'));
    const anyLines = fc
      .tuple(...lines.map(damaged))
      .chain((all) => fc.shuffledSubarray(all, { minLength: 1 }));
    fc.assert(
      fc.property(anyLines, (some) => {
        const written = some.filter((line) => line.trim() !== '');
        try {
          const found = readTranscripts(name, bytesOf(written.join('\n')));
          const total = found.reduce((n, t) => n + t.items.length + sum(t.skipped), 0);
          expect(total).toBe(written.length);
        } catch (error) {
          // Nothing that names the format may be left; any other error is a bug.
          if (!(error instanceof TranscriptError)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });
});
