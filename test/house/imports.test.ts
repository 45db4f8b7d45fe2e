import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { domainIsPure, filesAreShort, type Rule } from './rules.ts';
import { filesUnder, ROOT, type Source } from './sources.ts';

const sources = filesUnder('src').filter(({ path }) => /\.tsx?$/.test(path));

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
    name: 'the domain has no clock, no randomness, no environment',
    rule: domainIsPure,
    broken: [file('src/domain/a.ts', 'const now = Date.now();')],
    culprit: 'src/domain/a.ts',
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

  test('an adapter is short: the client does the work', () => {
    const long = sources.filter(
      ({ path, text }) => path.startsWith('src/adapters/') && text.split('\n').length > 151,
    );
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  test('the scan sees the files of every layer', () => {
    for (const folder of ['domain', 'app', 'db', 'importers', 'workers', 'mcp', 'api']) {
      expect(sources.some(({ path }) => path.startsWith(`src/${folder}/`))).toBe(true);
    }
  });
});

describe('the linter', () => {
  const breaches: [path: string, code: string, rule: string][] = [
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

describe('who may import whom', () => {
  /** Each rule of .dependency-cruiser.mjs, and a file that breaks it by what it imports. */
  const breaches: [rule: string, path: string, imported: string][] = [
    ['layer-domain', 'src/domain/items/a.ts', 'src/app/ports/event-store.ts'],
    ['layer-app', 'src/app/a.ts', 'src/db/cursor.ts'],
    ['layer-db', 'src/db/sqlite/a.ts', 'src/workers/compaction/retry-policy.ts'],
    ['layer-importers', 'src/importers/a.ts', 'src/app/ports/event-store.ts'],
    ['layer-workers', 'src/workers/a.ts', 'src/api/create-app.ts'],
    ['layer-mcp', 'src/mcp/a.ts', 'src/api/create-app.ts'],
    ['layer-api', 'src/api/items/a.ts', 'src/service.ts'],
    ['floor-items', 'src/domain/items/b.ts', 'src/domain/policy/config.ts'],
    ['floor-policy', 'src/domain/policy/a.ts', 'src/domain/tokens/count.ts'],
    ['floor-tokens', 'src/domain/tokens/a.ts', 'src/domain/workspace/file-book.ts'],
    ['floor-workspace', 'src/domain/workspace/a.ts', 'src/domain/session/events.ts'],
    ['floor-digests', 'src/domain/digests/a.ts', 'src/domain/session/events.ts'],
    ['floor-session', 'src/domain/session/a.ts', 'src/domain/context/view.ts'],
    ['floor-context', 'src/domain/context/a.ts', 'src/domain/compaction/cut.ts'],
    ['client-apart', 'src/adapters/a.ts', 'src/in-process.ts'],
    ['client-without-packages', 'src/client/a.ts', 'hono'],
    ['ground-floor', 'src/domain/a.ts', 'src/domain/items/item.ts'],
    ['pure-packages', 'src/domain/b.ts', 'node:fs'],
    ['app-without-http', 'src/app/b.ts', 'hono'],
    ['resources-apart', 'src/api/items/b.ts', 'src/api/sessions/routes.ts'],
    ['one-driver', 'test/a.ts', 'better-sqlite3'],
    ['no-cycles', 'src/db/a-cycle.ts', 'src/db/b-cycle.ts'],
  ];
  let folder = '';
  let found: [rule: string, path: string][] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-imports-'));
    cpSync(join(ROOT, '.dependency-cruiser.mjs'), join(folder, '.dependency-cruiser.mjs'));
    for (const name of ['better-sqlite3', 'hono']) {
      write(folder, `node_modules/${name}/package.json`, `{"name":"${name}","main":"index.js"}`);
      write(folder, `node_modules/${name}/index.js`, '');
    }
    for (const [, path, imported] of breaches) {
      const isOurs = imported.startsWith('src/');
      const target = isOurs ? relative(dirname(path), imported) : imported;
      const from = isOurs && !target.startsWith('.') ? `./${target}` : target;
      write(folder, path, `import type { X } from '${from}';\nexport type Y = X;\n`);
      // What is imported has to be there, or it is not looked at.
      if (isOurs) write(folder, imported, "export type X = 'x';\n");
    }
    write(
      folder,
      'src/db/b-cycle.ts',
      "import type { Y } from './a-cycle.ts';\nexport type X = Y;\n",
    );
    found = cruise(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(breaches)('%s: %s must not import %s', (rule, path) => {
    expect(found).toContainEqual([rule, path]);
  });

  test('every rule is tried, and nothing else is found', () => {
    expect(found.map(([rule]) => rule).toSorted()).toEqual(
      breaches.map(([rule]) => rule).toSorted(),
    );
  });
});

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** The breaches that dependency-cruiser finds in a folder: rule and file that imports. */
function cruise(folder: string): [rule: string, path: string][] {
  const { stdout } = spawnSync(
    join(ROOT, 'node_modules', '.bin', 'depcruise'),
    ['--output-type', 'json', 'src', 'test'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  const report = z.object({
    summary: z.object({
      violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })),
    }),
  });
  return report
    .parse(JSON.parse(stdout))
    .summary.violations.map(({ from, rule }): [string, string] => [rule.name, from]);
}

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
