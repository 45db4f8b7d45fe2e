import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { PROFILES } from '../../src/domain/policy/profiles.ts';

const FOLDER = fileURLToPath(new URL('../conformance/', import.meta.url));

/** `| CC-01 | place (line) | statement | [thresholds](thresholds.test.ts), or why there is none |` */
type Row = { id: string; heading: string; place: string; statement: string; shown: string };

const SUITES: Record<Exclude<(typeof PROFILES)[number], 'default'>, { prefix: string }> = {
  'claude-code': { prefix: 'CC' },
  'codex-v2': { prefix: 'CV' },
  rawr: { prefix: 'RW' },
  tiered: { prefix: 'TI' },
  'codex-classic': { prefix: 'CL' },
};

describe.each(Object.entries(SUITES))('the conformance table of %s', (suite, { prefix }) => {
  const folder = `${FOLDER}${suite}/`;
  const rows = rowsOf(readFileSync(`${folder}README.md`, 'utf8'), prefix);
  const tests = new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => [name, idsIn(folder + name, prefix)]),
  );

  it('names each statement once', () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(30);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(rows.filter(({ place, statement }) => place === '' || statement === '')).toEqual([]);
  });

  it('shows each statement by a test, or gives the reason', () => {
    const without = rows.filter(
      ({ shown }) => linksIn(shown).length === 0 && !/[a-z].{15}/i.test(shown),
    );
    expect(without).toEqual([]);
  });

  it('links no test file that does not name the row', () => {
    const silent = rows.flatMap(({ id, shown }) =>
      linksIn(shown).flatMap((file) => {
        const named = tests.get(file) ?? idsIn(folder + file, prefix);
        return named.has(id) ? [] : [`${id}: ${file}`];
      }),
    );
    expect(silent).toEqual([]);
  });

  it('orders the rows under a heading by the line in the document', () => {
    const late = rows.flatMap((row, index) => {
      const before = rows[index - 1];
      if (before?.heading !== row.heading || lineOf(before) <= lineOf(row)) return [];
      return [`${row.id} after ${before.id}`];
    });
    expect(late).toEqual([]);
  });

  it('has a row for whatever a test names', () => {
    const known = new Set(rows.map(({ id }) => id));
    const unknown = [...tests].flatMap(([name, ids]) =>
      [...ids].filter((id) => !known.has(id)).map((id) => `${name}: ${id}`),
    );
    expect(unknown).toEqual([]);
  });
});

function rowsOf(markdown: string, prefix: string): Row[] {
  let heading = '';
  return markdown.split('\n').flatMap((line) => {
    if (line.startsWith('#')) heading = line;
    if (!line.startsWith(`| ${prefix}-`)) return [];
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    const [id = '', place = '', statement = '', shown = ''] = cells.map((cell) => cell.trim());
    if (cells.length !== 4) throw new Error(`the row ${id} has ${cells.length} cells`);
    return [{ id, heading, place, statement, shown }];
  });
}

/** The first line of the document that a row names; the others are further places of the same. */
function lineOf({ id, place }: Row): number {
  const line = /\((\d+)/.exec(place)?.[1];
  if (line === undefined) throw new Error(`the row ${id} names no line`);
  return Number(line);
}

/** The ids of rows in a test file. */
function idsIn(path: string, prefix: string): Set<string> {
  const source = readFileSync(path, 'utf8');
  return new Set(source.match(new RegExp(`\\b${prefix}-\\d+[a-z]?\\b`, 'g')));
}

function linksIn(cell: string): string[] {
  return [...cell.matchAll(/\]\(([a-z0-9./-]+\.test\.ts)\)/g)].map(([, file = '']) => file);
}
