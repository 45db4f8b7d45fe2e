import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  domainImportsOnlyPurePackages,
  domainIsPure,
  filesAreShort,
  importsOf,
  importsPointInwards,
  noAny,
  noDefaultExports,
  noImportCycles,
  type Rule,
} from './rules.ts';
import { filesUnder, ROOT, type Source } from './sources.ts';

const sources = filesUnder('src').filter(({ path }) => path.endsWith('.ts'));

type Case = {
  name: string;
  rule: Rule;
  /** Made-up sources that break the rule, and the file that the breach has to name. */
  broken: Source[];
  culprit: string;
};

const file = (path: string, text: string): Source => ({ path, text });

const cases: Case[] = [
  {
    name: 'imports point inwards: the domain imports the domain',
    rule: importsPointInwards,
    broken: [file('src/domain/a.ts', "import { x } from '../db/x.ts';")],
    culprit: 'src/domain/a.ts',
  },
  {
    name: 'imports point inwards: the event store imports the domain',
    rule: importsPointInwards,
    broken: [file('src/db/sqlite/a.ts', "import type { X } from '../../workers/x.ts';")],
    culprit: 'src/db/sqlite/a.ts',
  },
  {
    name: 'imports point inwards: importers import the domain',
    rule: importsPointInwards,
    broken: [file('src/importers/a.ts', "import { x } from '../db/x.ts';")],
    culprit: 'src/importers/a.ts',
  },
  {
    name: 'imports point inwards: workers import store and domain',
    rule: importsPointInwards,
    broken: [file('src/workers/a.ts', "const x = await import('../api/x.ts');")],
    culprit: 'src/workers/a.ts',
  },
  {
    name: 'imports point inwards: the API imports store and domain',
    rule: importsPointInwards,
    broken: [file('src/api/routes/a.ts', "export { x } from '../../service.ts';")],
    culprit: 'src/api/routes/a.ts',
  },
  {
    name: 'the domain imports no runtime, server, database, log or model package',
    rule: domainImportsOnlyPurePackages,
    broken: [file('src/domain/a.ts', "import { readFileSync } from 'node:fs';\n")],
    culprit: 'src/domain/a.ts',
  },
  {
    name: 'the domain has no clock, no randomness, no environment',
    rule: domainIsPure,
    broken: [file('src/domain/a.ts', 'const now = Date.now();')],
    culprit: 'src/domain/a.ts',
  },
  {
    name: 'there are no import cycles',
    rule: noImportCycles,
    broken: [
      file('src/db/a.ts', "import './b.ts';"),
      file('src/db/b.ts', "import type { C } from './c.ts';"),
      file('src/db/c.ts', "import {\n  a,\n} from './a.ts';"),
    ],
    culprit: 'src/db/a.ts',
  },
  {
    name: 'exports have names',
    rule: noDefaultExports,
    broken: [file('src/api/a.ts', 'export default 1;')],
    culprit: 'src/api/a.ts',
  },
  {
    name: 'nothing is any',
    rule: noAny,
    broken: [file('src/api/a.ts', 'export function f(x: any) {}')],
    culprit: 'src/api/a.ts',
  },
  {
    name: 'no file is longer than 400 lines',
    rule: filesAreShort,
    broken: [file('src/api/a.ts', '\n'.repeat(401))],
    culprit: 'src/api/a.ts',
  },
];

describe('house rules for src', () => {
  test.each(cases)('$name', ({ rule, broken, culprit }) => {
    expect(rule(broken).join('\n')).toContain(culprit);
    expect(rule(sources)).toEqual([]);
  });

  test('the scan sees the files of every layer', () => {
    for (const folder of ['domain', 'db', 'importers', 'workers', 'api']) {
      expect(sources.some(({ path }) => path.startsWith(`src/${folder}/`))).toBe(true);
    }
  });

  test.each([
    ["import { a } from './a.ts';", './a.ts'],
    ["import type { A } from './a.ts';", './a.ts'],
    ["import {\n  a,\n  type B,\n} from './a.ts';", './a.ts'],
    ["import './a.ts';", './a.ts'],
    ["export * from './a.ts';", './a.ts'],
    ["export type { A } from './a.ts';", './a.ts'],
    ["const a = await import('./a.ts');", './a.ts'],
  ])('the scanner reads %j', (text, specifier) => {
    expect(importsOf({ path: 'x.ts', text })).toEqual([specifier]);
  });

  test('the scanner leaves comments alone', () => {
    const text = "// import { a } from './a.ts';\n/**\n * import './b.ts'\n */\n";
    expect(importsOf({ path: 'x.ts', text })).toEqual([]);
  });
});

describe('the linter enforces the same', () => {
  const breaches: [path: string, code: string, rule: string][] = [
    ['src/domain/a.ts', "import '../db/event-store.ts';", 'style/noRestrictedImports'],
    ['src/domain/b.ts', "import '../workers/backoff.ts';", 'style/noRestrictedImports'],
    ['src/domain/c.ts', "import '../api/create-app.ts';", 'style/noRestrictedImports'],
    ['src/domain/d.ts', "import '../importers/tree.ts';", 'style/noRestrictedImports'],
    ['src/domain/e.ts', "import 'node:fs';", 'style/noRestrictedImports'],
    ['src/db/a.ts', "import '../workers/backoff.ts';", 'style/noRestrictedImports'],
    ['src/db/b.ts', "import '../api/create-app.ts';", 'style/noRestrictedImports'],
    ['src/workers/a.ts', "import '../api/create-app.ts';", 'style/noRestrictedImports'],
    ['src/api/a.ts', "import '../workers/backoff.ts';", 'style/noRestrictedImports'],
    ['src/domain/f.ts', 'export const x = Date.now();', 'style/noRestrictedGlobals'],
    ['src/domain/g.ts', 'export const x = process.env;', 'style/noRestrictedGlobals'],
    ['src/domain/h.ts', 'export const x = crypto.randomUUID();', 'style/noRestrictedGlobals'],
    ['src/db/c.ts', 'export default 1;', 'style/noDefaultExport'],
    ['src/db/d.ts', 'export const f = (x: any) => x;', 'suspicious/noExplicitAny'],
    ['src/db/e.ts', 'export const f = (x: string | null) => x!;', 'style/noNonNullAssertion'],
  ];
  const pure = 'src/domain/pure.ts';
  let folder = '';
  let found: [path: string, rule: string][] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-lint-'));
    for (const name of ['biome.json', '.gitignore']) {
      cpSync(join(ROOT, name), join(folder, name));
    }
    const files = [...breaches, [pure, 'export const f = (x: number) => x + 1;', ''] as const];
    for (const [path, code] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${code}\n`);
    }
    found = lint(folder);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(breaches)('%s: %s', (path, _code, rule) => {
    expect(found).toContainEqual([path, `lint/${rule}`]);
  });

  test('a pure function passes', () => {
    expect(found.filter(([path]) => path === pure)).toEqual([]);
  });
});

/** What the project's linter reports for a folder: file and rule of each finding. */
function lint(folder: string): [path: string, rule: string][] {
  const { stdout } = spawnSync(
    join(ROOT, 'node_modules', '.bin', 'biome'),
    ['lint', '--reporter=json', '--max-diagnostics=none', '.'],
    { cwd: folder, encoding: 'utf8' },
  );
  const report = z.object({
    diagnostics: z.array(
      z.object({ category: z.string(), location: z.object({ path: z.string() }) }),
    ),
  });
  return report
    .parse(JSON.parse(stdout))
    .diagnostics.map(({ category, location }) => [location.path, category]);
}
