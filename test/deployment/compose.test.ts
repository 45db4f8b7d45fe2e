import { describe, expect, test } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { readText } from '../house/sources.ts';
import { askedFor, interpolate, readCompose, type Service } from './compose.ts';
import { stagesOf } from './image.ts';
import {
  API_READINESS,
  knownVariables,
  longestStopMs,
  PORT,
  statusesOf,
  WORKER_READINESS,
} from './service-facts.ts';

const text = readText('docker-compose.yml');
const ENV = { PALIMPSEST_API_KEYS: 'team-a:secret', PALIMPSEST_OPERATOR_KEY: 'operator-secret-1' };
const compose = readCompose(text, ENV);
const roles = ['api', 'worker'] as const;

function serviceOf(name: string, from = compose): Service {
  const service = from.services[name];
  if (service === undefined) throw new Error(`there is no service ${name}`);
  return service;
}

/** What a container of the service gets: the image's variables, then .env, then its own. */
function environmentOf(service: Service, env: Record<string, string>): Record<string, string> {
  const image = stagesOf(readText('Dockerfile')).at(-1)?.environment;
  const fromFile = service.env_file.some(({ path }) => path === '.env') ? env : {};
  return { ...image, ...fromFile, ...service.environment };
}

describe('docker-compose.yml', () => {
  test('starts an API, two workers and Redis; PostgreSQL with profile scale', () => {
    const started = (profile: string | null) =>
      Object.entries(compose.services)
        .filter(([, { profiles }]) => profiles.length === 0 || profiles.includes(profile ?? ''))
        .map(([name, { deploy }]) => [name, deploy?.replicas ?? 1]);
    const plain = { api: 1, worker: 2, redis: 1 };
    expect(Object.fromEntries(started(null))).toEqual(plain);
    expect(Object.fromEntries(started('scale'))).toEqual({ ...plain, postgres: 1 });
  });

  test('asks to be started with keys, and says how', () => {
    expect(() => readCompose(text, {})).toThrow(/PALIMPSEST_API_KEYS.*NAME:KEY.*\.env/);
    // They may come from the shell as well: there need not be a .env.
    for (const role of roles) {
      expect(serviceOf(role).env_file).toEqual([{ path: '.env', required: false }]);
    }
  });

  test.each(roles)('%s: the service accepts its settings and knows all variables', (role) => {
    const known = knownVariables();
    const service = serviceOf(role);
    expect(Object.keys(service.environment).filter((name) => !known.has(name))).toEqual([]);
    expect(readSettings(environmentOf(service, ENV))).toMatchObject({
      role,
      host: '0.0.0.0',
      port: Number(PORT),
      database: { kind: 'sqlite', path: '/data/palimpsest.db' },
      queue: { redis_url: 'redis://redis:6379' },
      api_keys: role === 'api' ? [{ name: 'team-a', key: 'secret' }] : [],
      operator_key: role === 'api' ? 'operator-secret-1' : null,
    });
  });

  test('every variable that it asks for is one of the service, or the password of PostgreSQL', () => {
    const known = knownVariables().add('POSTGRES_PASSWORD');
    expect(askedFor(text).filter((name) => !known.has(name))).toEqual([]);
  });

  test.each(roles)('%s: uses PostgreSQL as docs/operations.md says, without an edit', (role) => {
    const documented = /^DATABASE_URL=(postgres:\/\/\S*@postgres:\S+)$/m.exec(
      readText('docs/operations.md'),
    )?.[1];
    const POSTGRES_PASSWORD = 'a-password';
    const url = interpolate(documented ?? '', { POSTGRES_PASSWORD });
    const env = { ...ENV, POSTGRES_PASSWORD, DATABASE_URL: url };
    const scaled = readCompose(text, env);
    expect(readSettings(environmentOf(serviceOf(role, scaled), env)).database).toEqual({
      kind: 'postgres',
      url,
    });
    const { username, password, hostname, port, pathname } = new URL(url);
    const postgres = serviceOf('postgres', scaled);
    expect({ hostname, port }).toEqual({ hostname: 'postgres', port: '5432' });
    expect(postgres.environment).toEqual({
      POSTGRES_USER: username,
      POSTGRES_PASSWORD: password,
      POSTGRES_DB: pathname.slice(1),
    });
  });

  test('the password of PostgreSQL has no default', () => {
    expect(serviceOf('postgres').environment.POSTGRES_PASSWORD).toBe('');
  });

  test('waits for services that exist and have a health check, and never for one without a profile', () => {
    for (const service of Object.values(compose.services)) {
      for (const [name, { condition, required }] of Object.entries(service.depends_on)) {
        const { profiles } = serviceOf(name);
        expect(condition).toBe('service_healthy');
        // A required service of a profile that is not active would be an error.
        expect(required).toBe(profiles.length === 0);
      }
    }
    for (const role of roles) {
      expect(Object.keys(serviceOf(role).depends_on)).toEqual(['redis', 'postgres']);
    }
  });

  test('volumes are declared, and API and workers share the one with the events', () => {
    const used = Object.values(compose.services).flatMap(({ volumes }) => volumes);
    const names = used.map((volume) => volume.split(':')[0] ?? '');
    expect([...new Set(names)].toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
    for (const role of roles) expect(serviceOf(role).volumes).toEqual(['data:/data']);
  });

  test('images are pinned to a release, or built here', () => {
    const loose = Object.values(compose.services)
      .filter(({ build, image }) => build === undefined && !/:\d+\.\d+(?:\.\d+)?-/.test(image))
      .map(({ image }) => image);
    expect(loose).toEqual([]);
    for (const role of roles) expect(serviceOf(role).build).toBe('.');
  });

  test('Redis keeps all jobs', () => {
    const command = serviceOf('redis').command.join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
  });

  test.each(roles)('%s: may take as long to stop as the service needs', (role) => {
    expect(serviceOf(role).stop_grace_period).toBeGreaterThan(longestStopMs());
  });

  test.each([
    ['api', API_READINESS],
    ['worker', WORKER_READINESS],
  ])('%s: is healthy when it can do its work', async (name, expected) => {
    const command = serviceOf(name).healthcheck.test.join(' ');
    const [, port, path = ''] = /'http:\/\/127\.0\.0\.1:(\d+)([^']*)'/.exec(command) ?? [];
    expect(port).toBe(PORT);
    expect(await statusesOf(path)).toEqual(expected);
  });

  test('only the API is published, to this machine', () => {
    const published = Object.entries(compose.services).flatMap(([name, { ports }]) =>
      ports.map((port) => `${name} ${port}`),
    );
    expect(published).toEqual([`api 127.0.0.1:8787:${PORT}`]);
    expect(serviceOf('api', readCompose(text, { ...ENV, PORT: '9000' })).ports).toEqual([
      `127.0.0.1:9000:${PORT}`,
    ]);
  });
});

describe('interpolate', () => {
  const variable = (inside: string) => `$\{${inside}}`;

  test.each([
    [variable('A'), { A: 'x' }, 'x'],
    [variable('A:-file:/data/a.db'), {}, 'file:/data/a.db'],
    [variable('A:-file:/data/a.db'), { A: '' }, 'file:/data/a.db'],
    [`postgres://u:${variable('A')}@h`, { A: 'p' }, 'postgres://u:p@h'],
    [variable('A:?say what'), { A: 'x' }, 'x'],
  ])('%s', (template, variables, expected) => {
    expect(interpolate(template, variables)).toBe(expected);
  });
});
