import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readSettings } from '../../src/config.ts';
import { type Config, configSchema } from '../../src/domain/policy/config.ts';
import { PROFILES, profileConfig } from '../../src/domain/policy/profiles.ts';
import { filesUnder, ROOT, readText } from './sources.ts';

const WINDOW = 200_000;

/** Fields that are too long for the tables, by the heading of the section that lists their entries. */
const LISTED = {
  restore_exclude: 'Paths that are never restored',
  signal_commit_commands: 'Commands, tools and phrases',
  signal_pr_commands: 'Commands, tools and phrases',
  signal_plan_tools: 'Commands, tools and phrases',
  signal_agent_done: 'Commands, tools and phrases',
  signal_agent_done_unless: 'Commands, tools and phrases',
  signal_topic_shift: 'Commands, tools and phrases',
  signal_concluding_thought: 'Commands, tools and phrases',
} as const satisfies Partial<Record<keyof Config, string>>;
type Listed = keyof typeof LISTED;
const fields = configSchema.keyof().options;

describe('docs/dependencies.md', () => {
  const document = readText('docs/dependencies.md');
  const [runtime = '', development = ''] = document.split('## For development');
  const manifest = z
    .object({
      dependencies: z.record(z.string(), z.string()),
      optionalDependencies: z.record(z.string(), z.string()),
      devDependencies: z.record(z.string(), z.string()),
      scripts: z.record(z.string(), z.string()),
    })
    .parse(JSON.parse(readText('package.json')));

  test.each([
    ['dependencies', runtime, { ...manifest.dependencies, ...manifest.optionalDependencies }],
    ['devDependencies', development, manifest.devDependencies],
  ])('%s: each has a reason, and nothing else is listed', (_, text, packages) => {
    const rows = tableRows(text).map(([name = '', reason = '']) => ({ name: code(name), reason }));
    const listed = rows.map(({ name }) => name);
    expect(listed.toSorted()).toEqual(Object.keys(packages).toSorted());
    expect(rows.filter(({ reason }) => reason.length < 15)).toEqual([]);
  });

  test('versions are exact', () => {
    const { dependencies, optionalDependencies, devDependencies } = manifest;
    const versions = Object.values({
      ...dependencies,
      ...optionalDependencies,
      ...devDependencies,
    });
    expect(
      versions.filter(
        (version) => !/^(?:npm:(?:@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
      ),
    ).toEqual([]);
  });

  test('every script is explained in README.md or CONTRIBUTING.md', () => {
    const text = readText('README.md') + readText('CONTRIBUTING.md');
    const names = Object.keys(manifest.scripts);
    expect(names.filter((name) => !mentionsScript(text, name))).toEqual([]);
  });
});

describe('docs/configuration.md', () => {
  const document = readText('docs/configuration.md');
  const rows = tableRows(document.split('## Fields')[1] ?? '').map(([name = '', ...cells]) => ({
    field: code(name.replace(' ↓', '')),
    followsWindow: name.endsWith('↓'),
    values: cells.slice(0, PROFILES.length),
    meaning: cells[PROFILES.length] ?? '',
  }));

  test('every field is documented once, with a meaning', () => {
    expect(rows.map(({ field }) => field).toSorted()).toEqual(fields.toSorted());
    expect(rows.filter(({ meaning }) => meaning.length < 10)).toEqual([]);
  });

  test.each(fields)('%s: the values are those of the profiles', (field) => {
    const row = rows.find((candidate) => candidate.field === field);
    const actual = PROFILES.map((profile) => cellOf(field, profileConfig(profile, WINDOW)));
    expect(row?.values).toEqual(actual);
  });

  test('no profile has another list behind the link', () => {
    const lists = PROFILES.map((profile) => {
      const config = profileConfig(profile, WINDOW);
      return Object.fromEntries(
        Object.keys(LISTED).map((field) => [field, config[field as Listed]]),
      );
    });
    expect(lists).toEqual(PROFILES.map(() => lists[0]));
  });

  test('the eligible tools of each profile are listed', () => {
    const section = document.split('### Eligible tools')[1]?.split('\n#')[0] ?? '';
    for (const profile of PROFILES) {
      const line = section
        .split('\n')
        .find((one) => /^- ([a-z0-9, -]+): /.exec(one)?.[1]?.split(', ').includes(profile));
      const entries = [...(line ?? '').matchAll(/`([^`]+)`/g)].map(([, entry]) => entry);
      expect(entries).toEqual(profileConfig(profile, WINDOW).micro_compact_eligible_tools);
    }
  });

  test('the fields that follow the window are marked', () => {
    const small = profileConfig('default', 16_000);
    const large = profileConfig('default', WINDOW);
    const following = fields.filter((field) => small[field] !== large[field]);
    const marked = rows.filter((row) => row.followsWindow).map(({ field }) => field);
    expect(marked.toSorted()).toEqual(following.toSorted());
  });

  test.each(Object.entries(LISTED))('%s: the list is complete', (field, heading) => {
    const section = document.split(`### ${heading}`)[1]?.split('\n#')[0] ?? '';
    const line = section.includes(`- ${field}: `) ? section.split(`- ${field}: `)[1] : section;
    const entries = [...(line?.split('\n- ')[0] ?? '').matchAll(/`([^`]+)`/g)];
    // The field is one of the configuration; the table above says that it is a list.
    expect(entries.map(([, entry]) => entry)).toEqual(
      profileConfig('default', WINDOW)[field as Listed],
    );
  });

  test('every variable that is no field is explained', () => {
    expect(serverVariables().filter((name) => !document.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('docs/profiles.md', () => {
  const document = readText('docs/profiles.md').split('## Side by side')[1] ?? '';
  const rows = tableRows(document).flatMap(([what = '', ...values]) => {
    const field = fields.find((name) => what.endsWith(`: \`${name}\``));
    return field === undefined ? [] : [{ field, values }];
  });

  test('compares every profile, and has the fields that tell most of them apart', () => {
    const [header = ''] = document.split('\n').filter((line) => line.startsWith('| what'));
    expect(PROFILES.filter((profile) => !header.includes(`\`${profile}\``))).toEqual([]);
    expect(rows.length).toBeGreaterThan(15);
  });

  test.each(rows)('$field: the values are those of the profiles', ({ field, values }) => {
    const actual = PROFILES.map((profile) => cellOf(field, profileConfig(profile, WINDOW)));
    const inCode = values.map((value, index) => (value.startsWith('`') ? value : actual[index]));
    expect(inCode).toEqual(actual);
  });
});

describe('.env.example', () => {
  const lines = readText('.env.example').split('\n');
  const settings = lines.flatMap((line) => {
    const [, name, value] = /^# ([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value ?? ''] as const];
  });

  test('lists every variable once, and no other', () => {
    const fieldVariables = fields.map((field) => `PALIMPSEST_${field.toUpperCase()}`);
    const expected = new Set([...serverVariables(), ...fieldVariables]);
    expect(settings.map(([name]) => name).toSorted()).toEqual([...expected].toSorted());
  });

  test('is all comments', () => {
    expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  });

  test('shows the defaults', () => {
    const { overrides, ...server } = readSettings(Object.fromEntries(settings));
    const { overrides: none, ...defaults } = readSettings({});
    expect(server).toEqual(defaults);
    expect(none).toEqual({});
    expect(profileConfig('default', WINDOW)).toMatchObject(overrides);
    const unset = Object.values(profileConfig('default', WINDOW)).filter((value) => value === null);
    expect(Object.keys(overrides)).toHaveLength(fields.length - unset.length);
  });
});

describe('README.md', () => {
  const readme = readText('README.md');

  test.each(['npm ci && npm start', 'npm test', 'PALIMPSEST_API_KEYS', 'palimpsest verify'])(
    'mentions %s',
    (text) => expect(readme).toContain(text),
  );

  test('is short', () => expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(9_000));

  test.each([
    ['docs', 'README.md'],
    ['docs/decisions', 'README.md'],
  ])('every page of %s is in its index', (folder, index) => {
    const text = readText(`${folder}/${index}`);
    const pages = readdirSync(join(ROOT, folder)).filter((name) => /^(?!README).*\.md$/.test(name));
    expect(pages.filter((name) => !text.includes(`](${name})`))).toEqual([]);
  });

  test('names every profile and wire format', () => {
    const formats = ['anthropic', 'openai-responses', 'openai-chat'];
    expect([...PROFILES, ...formats].filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('the repository', () => {
  const files = filesUnder('.');
  const pages = files.filter(({ path }) => path.endsWith('.md') && !path.startsWith('templates/'));
  /** Its paths are examples of names to match. */
  const EXAMPLES = 'docs/name-matching.md';

  test('links between pages lead somewhere', () => {
    const broken = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .flatMap(([, target]) => target ?? [])
        .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test('file names in the pages exist', () => {
    const ours = pages.filter(({ path }) => path !== EXAMPLES);
    const broken = ours.flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:src|test|scripts|templates|migrations|docs|bench)\/[\w./-]*)`/g)]
        .flatMap(([, target]) => target ?? [])
        .filter((target) => !existsSync(join(ROOT, target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test('what a page says to be in a file is there', () => {
    const named = /`(\w+)` in `((?:src|test|scripts|bench)\/[\w./-]+\.tsx?)`/g;
    const wrong = pages.flatMap(({ path, text }) =>
      [...text.matchAll(named)]
        .filter(([, name = '', file = '']) => !new RegExp(`\\b${name}\\b`).test(readText(file)))
        .map(([said]) => `${path}: ${said}`),
    );
    expect(wrong).toEqual([]);
  });

  test('the lock file has an entry for every optional package: npm ci refuses it otherwise', () => {
    const { packages } = z
      .object({
        packages: z.record(
          z.string(),
          z.looseObject({ optionalDependencies: z.record(z.string(), z.string()).optional() }),
        ),
      })
      .parse(JSON.parse(readText('package-lock.json')));
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
      ),
    );
    expect(missing).toEqual([]);
  });

  test('the lock file and .npmrc name no registry', () => {
    expect(readText('package-lock.json')).not.toMatch(/"resolved": "https?:/);
    expect(readText('.npmrc')).not.toContain('registry=');
  });

  test('no file names this machine', () => {
    // A checkout at the top of the disk has too short a name to look for.
    const paths = [ROOT, join(ROOT, '..', 'shared')].filter((path) => path.split('/').length > 2);
    const named = files.flatMap(({ path, text }) =>
      paths.filter((machine) => text.includes(`${machine}/`)).map(() => path),
    );
    expect(named).toEqual([]);
  });

  test('no file names a registry other than the public one', () => {
    const registry =
      /https?:\/\/(?!registry\.npmjs\.org\b)[\w.-]*(?:registry|artifactory|nexus|verdaccio)[\w.-]*/i;
    const named = files.flatMap(({ path, text }) => {
      const host = registry.exec(text)?.[0];
      return host === undefined ? [] : [`${path}: ${host}`];
    });
    expect(named).toEqual([]);
  });
});

/** The cells of every body row of the Markdown tables in a text. */
function tableRows(text: string): string[][] {
  const isRule = (line: string | undefined) => /^\|[\s|:-]+\|$/.test(line ?? '');
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    if (!line.startsWith('|') || isRule(line) || isRule(lines[index + 1])) return [];
    const cells = line.slice(1, line.lastIndexOf('|')).split('|');
    return [cells.map((cell) => cell.trim())];
  });
}

function code(cell: string): string {
  return cell.replaceAll('`', '');
}

/** How the table shows the value of a field. */
function cellOf(field: keyof Config, config: Config): string {
  const value = config[field];
  if (field === 'micro_compact_eligible_tools') return '[list](#eligible-tools)';
  const heading = LISTED[field as Listed] as string | undefined;
  if (heading !== undefined) {
    return `[list](#${heading.toLowerCase().replaceAll(',', '').replaceAll(' ', '-')})`;
  }
  if (value === 4 / 3) return '`4/3`';
  if (Array.isArray(value) && value.length === 0) return '`[]`';
  if (Array.isArray(value)) return value.map((entry) => `\`${entry}\``).join(', ');
  return `\`${value}\``;
}

/** The variables that the code reads and that are not fields of the configuration. */
function serverVariables(): string[] {
  const settings = readText('src/config.ts').split('environmentSchema = ')[1] ?? '';
  const schema = settings.slice(0, settings.indexOf('});'));
  const providers = readText('src/workers/summarizers/providers.ts');
  return [
    ...[...schema.matchAll(/^ {2}([A-Z_]+): /gm)].flatMap(([, name]) => name ?? []),
    ...new Set(
      [...providers.matchAll(/'([A-Z_]+_(?:API_KEY|BASE_URL))'/g)].map(([, name]) => name ?? ''),
    ),
    'DISABLE_COMPACT',
    'HTTPS_PROXY',
    'HTTP_PROXY',
    'NO_PROXY',
    'AUTOCOMPACT_PCT_OVERRIDE',
    'CLAUDE_AUTOCOMPACT_PCT_OVERRIDE',
    'PALIMPSEST_URL',
    'PALIMPSEST_API_KEY',
  ];
}

function mentionsScript(text: string, name: string): boolean {
  const command = ['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`;
  return text.includes(command);
}
