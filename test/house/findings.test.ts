import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('../findings/', import.meta.url));

/** `| A1 | rule | [a1-some-words](a1-some-words.test.ts) |` */
const ROW = /^\| ([A-I]\d{0,2}) +\|.*\| (.*) \|$/gm;

const table = readFileSync(`${FOLDER}README.md`, 'utf8');
const rows = [...table.matchAll(ROW)].map(([, id = '', tests = '']) => ({
  id,
  files: [...tests.matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => file),
}));

test('the table of findings leads from each to its tests', () => {
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter(({ files }) => files.length === 0)).toEqual([]);
  const listed = rows.flatMap(({ files }) => files).filter((file) => file.endsWith('.test.ts'));
  const present = readdirSync(FOLDER).filter((name) => name.endsWith('.test.ts'));
  expect(listed.toSorted()).toEqual(present.toSorted());
});

test.each(
  rows.flatMap(({ id, files }) =>
    files.filter((file) => file.endsWith('.test.ts')).map((file) => ({ id, file })),
  ),
)('$file is named after $id and tests it', ({ id, file }) => {
  expect(file).toMatch(new RegExp(`^${id.toLowerCase()}-`));
  expect(readFileSync(FOLDER + file, 'utf8')).toMatch(
    new RegExp(`\\b(?:describe|test|it)(?:\\.each\\([^]*?\\))?\\(\\s*['\`"]${id}\\b`),
  );
});
