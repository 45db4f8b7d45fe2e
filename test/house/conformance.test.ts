import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { PROFILES } from '../../src/domain/policy/profiles.ts';

const FOLDER = fileURLToPath(new URL('../conformance/', import.meta.url));

/** `| CC-01 | place | statement | [thresholds](thresholds.test.ts), or why there is none |` */
type Row = { id: string; place: string; statement: string; shown: string };

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
      .map((name) => [name, idsIn(readFileSync(folder + name, 'utf8'), prefix)]),
  );

  it('names each statement once', () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(30);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(rows.filter(({ place, statement }) => place === '' || statement === '')).toEqual([]);
  });

  it('shows each statement by a test that names it, or gives the reason', () => {
    const without = rows.filter(({ id, shown }) => {
      const named = linksIn(shown);
      if (named.length === 0) return !/[a-z].{15}/i.test(shown);
      return !named.some((file) => tests.get(file)?.has(id));
    });
    expect(without).toEqual([]);
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
  return markdown.split('\n').flatMap((line) => {
    if (!line.startsWith(`| ${prefix}-`)) return [];
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    const [id = '', place = '', statement = '', shown = ''] = cells.map((cell) => cell.trim());
    if (cells.length !== 4) throw new Error(`the row ${id} has ${cells.length} cells`);
    return [{ id, place, statement, shown }];
  });
}

function idsIn(source: string, prefix: string): Set<string> {
  return new Set(source.match(new RegExp(`\\b${prefix}-\\d+[a-z]?\\b`, 'g')));
}

function linksIn(cell: string): string[] {
  return [...cell.matchAll(/\]\(([a-z0-9-]+\.test\.ts)\)/g)].map(([, file = '']) => file);
}
