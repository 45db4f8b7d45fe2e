import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SettingsError } from '../../src/config/settings-error.ts';
import { readSettings, refuseOpenWithoutKeys } from '../../src/config.ts';
import { filesUnder, ROOT, readText } from '../house/sources.ts';
import { isIgnored, lastOf, type Stage, stagesOf } from './image.ts';
import { knownVariables, LIVENESS, PORT, readAtRunTime, statusesOf } from './service-facts.ts';

const dockerfile = readText('Dockerfile');
const dockerignore = readText('.dockerignore');
const stages = stagesOf(dockerfile);
const image = imageOf(stages);
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dev: z.boolean().default(false),
      optional: z.boolean().default(false),
      hasInstallScript: z.boolean().default(false),
    }),
  ),
});

function imageOf(all: readonly Stage[]): Stage {
  const last = all.at(-1);
  if (last === undefined) throw new Error('the Dockerfile has no stage');
  return last;
}

/** Sources of the build that are not in the repository, or that .dockerignore keeps out. */
function missingSources(text: string, ignore: string): string[] {
  return stagesOf(text)
    .flatMap(({ copied }) => copied)
    .filter(({ from }) => from === null)
    .flatMap(({ sources }) => sources)
    .filter((source) => !existsSync(join(ROOT, source)) || isIgnored(ignore, source));
}

/** What the service reads beside its own modules and the image does not hold in the same place. */
function missingAtRunTime(text: string): string[] {
  const { copied, workdir } = imageOf(stagesOf(text));
  const places = copied.flatMap(({ sources, target }) =>
    sources.map((source) =>
      posix.join(
        workdir,
        target.endsWith('/') ? posix.join(target, posix.basename(source)) : target,
      ),
    ),
  );
  const needed = ['dist', 'node_modules', ...readAtRunTime(filesUnder('src'))];
  return needed.filter((path) => {
    const place = posix.join(workdir, path);
    return !places.some((held) => place === held || place.startsWith(`${held}/`));
  });
}

describe('the image', () => {
  test('every stage is the same pinned release of a Node that package.json allows', () => {
    const manifest = z.object({ engines: z.object({ node: z.string() }) });
    const { engines } = manifest.parse(JSON.parse(readText('package.json')));
    const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines.node) ?? [];
    const bases = new Set(stages.map((stage) => `${stage.image}:${stage.tag}`));
    expect([...bases]).toEqual([expect.stringMatching(/^node:\d+\.\d+\.\d+-\w+-slim$/)]);
    const [, imageMajor, imageMinor] = /^(\d+)\.(\d+)/.exec(image.tag) ?? [];
    const asNumber = (one?: string, other?: string) => Number(one) * 1_000 + Number(other);
    expect(asNumber(imageMajor, imageMinor)).toBeGreaterThanOrEqual(asNumber(major, minor));
  });

  test('every copied path exists and reaches the build', () => {
    expect(missingSources(dockerfile, dockerignore)).toEqual([]);
    const absent = `${dockerfile}\nCOPY no-such-folder ./\n`;
    expect(missingSources(absent, dockerignore)).toEqual(['no-such-folder']);
    const ignored = dockerignore.replace('!templates\n', '');
    expect(new Set(missingSources(dockerfile, ignored))).toEqual(new Set(['templates']));
  });

  test('the stage that builds has every file that the compiler is given', () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readText('package.json')));
    const builds = stages.find(({ instructions }) =>
      instructions.some(({ text }) => text === 'npm run build'),
    );
    const given = [...(scripts.build ?? '').matchAll(/-p (\S+)/g)].map(([, file]) => file);
    const held = builds?.copied.flatMap(({ sources }) => sources);
    expect(given).toContain('tsconfig.build.json');
    expect(held).toEqual(expect.arrayContaining(given));
  });

  test('what comes from a stage comes from an earlier one, and from where it works', () => {
    const copies = stages.flatMap(({ copied }, index) =>
      copied
        .filter(({ from }) => from !== null)
        .map(({ from, sources }) => ({
          sources,
          workdir: stages.slice(0, index).find(({ name }) => name === from)?.workdir ?? null,
        })),
    );
    expect(copies.length).toBeGreaterThan(0);
    for (const { sources, workdir } of copies) {
      expect(workdir).not.toBeNull();
      expect(sources.filter((source) => !source.startsWith(`${workdir}/`))).toEqual([]);
    }
  });

  test('holds everything that the service reads at run time', () => {
    expect(readAtRunTime(filesUnder('src'))).toEqual(
      expect.arrayContaining(['migrations', 'package.json', 'templates']),
    );
    expect(missingAtRunTime(dockerfile)).toEqual([]);
    const without = dockerfile.replaceAll('COPY templates ./templates\n', '');
    expect(missingAtRunTime(without)).toEqual(['templates']);
    const elsewhere = dockerfile.replaceAll(
      'COPY migrations ./migrations',
      'COPY migrations ./sql',
    );
    expect(missingAtRunTime(elsewhere)).toContain('migrations');
  });

  test('has production dependencies and the optional parts only', () => {
    const { from } = image.copied.find(({ target }) => target === './node_modules') ?? {};
    const runs = stages
      .find(({ name }) => name === from)
      ?.instructions.filter(({ keyword }) => keyword === 'RUN')
      .map(({ text }) => text);
    expect(runs).toEqual([
      expect.stringMatching(/npm ci --omit=dev --omit=optional --ignore-scripts$/),
      expect.stringMatching(
        /npm install --no-save --save-prod .* \$\(node scripts\/optional-parts\.mjs\)$/,
      ),
    ]);
  });

  test('needs no install script of a production dependency', () => {
    const { packages } = lockSchema.parse(JSON.parse(readText('package-lock.json')));
    const needed = Object.entries(packages).filter(
      ([, { dev, optional, hasInstallScript }]) => hasInstallScript && !dev && !optional,
    );
    expect(needed.map(([path]) => path)).toEqual([]);
  });

  test.each(['.env', '.git', 'data', 'node_modules', 'dist', 'test', 'docker-compose.yml'])(
    '%s does not reach the build',
    (path) => expect(isIgnored(dockerignore, path)).toBe(true),
  );

  test('does not run as root, and says so in a number', () => {
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  test('sets variables that the service knows; without keys it is refused with a reason', () => {
    // SQLite itself reads where it may put files that go.
    const known = new Set([...knownVariables(), 'SQLITE_TMPDIR']);
    expect(Object.keys(image.environment).filter((name) => !known.has(name))).toEqual([]);
    const withKeys = { ...image.environment, PALIMPSEST_API_KEYS: 'team-a:secret' };
    const volume = lastOf(image, 'VOLUME');
    expect(readSettings(withKeys)).toMatchObject({
      host: '0.0.0.0',
      port: Number(PORT),
      database: { kind: 'sqlite', path: `${volume}/palimpsest.db` },
    });
    const refused = () => refuseOpenWithoutKeys(readSettings(image.environment));
    expect(refused).toThrow(SettingsError);
    expect(refused).toThrow(/PALIMPSEST_API_KEYS/);
  });

  test('exposes and checks the port that it listens on, by a route that there is', async () => {
    expect(lastOf(image, 'EXPOSE')).toBe(image.environment.PORT);
    const check = lastOf(image, 'HEALTHCHECK') ?? '';
    const command = z.array(z.string()).parse(JSON.parse(check.slice(check.indexOf('['))));
    const url = /`http:\/\/127\.0\.0\.1:\$\{process\.env\.PORT\}(\/[^`]*)`/.exec(command.join(' '));
    expect(await statusesOf(url?.[1] ?? '')).toEqual(LIVENESS);
  });

  test('is stopped by the signal that the service handles, which goes to node itself', () => {
    const signal = lastOf(image, 'STOPSIGNAL') ?? '';
    expect(readText('src/cli/serve.ts')).toContain(`process.once('${signal}'`);
    expect(lastOf(image, 'ENTRYPOINT')).toBe('["node", "/app/dist/cli.js"]');
    expect(lastOf(image, 'CMD')).toBe('["serve"]');
  });
});

describe('isIgnored', () => {
  test.each([
    ['*\n!src', 'src/cli.ts', false],
    ['*\n!src', 'srcs', true],
    ['*\n!src\nsrc/cli.ts', 'src/cli.ts', true],
    ['# only a comment\n', 'src', false],
  ])('%j: %s is %s', (text, path, expected) => expect(isIgnored(text, path)).toBe(expected));

  test('refuses patterns that it does not understand', () => {
    expect(() => isIgnored('**/*.md', 'README.md')).toThrow(/better reader/);
  });
});
