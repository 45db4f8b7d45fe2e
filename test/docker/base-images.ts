import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { aptInstall } from '../support/servers/apt.ts';
import { findOnPath, outputOf } from '../support/servers/programs.ts';
import type { Engine } from './engine.ts';

const run = promisify(execFile);
const SUITE = 'bookworm';
const DEBIAN = `palimpsest-test-debian:${SUITE}`;

/** The images, from their registry or, where none can be reached, made of packages of Debian and npm. */
export async function provideImages(
  engine: Engine,
  images: { node: string; redis: readonly string[]; postgres: readonly string[] },
): Promise<void> {
  if (!(await isThere(engine, images.node))) await makeNode(engine, images.node);
  for (const name of images.redis) {
    if (!(await isThere(engine, name))) await makeRedis(engine, name);
  }
  for (const name of images.postgres) {
    if (!(await isThere(engine, name))) await makePostgres(engine, name);
  }
}

async function isThere({ docker }: Engine, name: string): Promise<boolean> {
  try {
    await docker(['image', 'inspect', name]);
    return true;
  } catch {
    return docker(['pull', '--quiet', name]).then(
      () => true,
      () => false,
    );
  }
}

/** Debian's smallest system: what all of the made images begin with. */
async function debian({ docker }: Engine): Promise<void> {
  const known = await docker(['images', '--quiet', DEBIAN]);
  if (known !== '') return;
  await findOnPath('debootstrap').catch(() => aptInstall('debootstrap'));
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-debian-'));
  try {
    const root = join(folder, 'root');
    await run('debootstrap', ['--variant=minbase', SUITE, root]);
    for (const path of ['var/cache/apt/archives', 'var/lib/apt/lists']) {
      await rm(join(root, path), { recursive: true, force: true });
    }
    const archive = join(folder, 'root.tar');
    await run('tar', ['-C', root, '-cf', archive, '.']);
    await docker(['import', archive, DEBIAN]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Node from npm, npm itself from this machine, with the certificates that it trusts here. */
async function makeNode(engine: Engine, name: string): Promise<void> {
  const version = /:(\d+\.\d+\.\d+)-/.exec(name)?.[1];
  if (version === undefined) throw new Error(`${name} names no release of Node`);
  await debian(engine);
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-node-'));
  try {
    const platform = `node-${process.platform}-${process.arch}`;
    await run('npm', ['install', '--no-save', '--prefix', folder, `${platform}@${version}`]);
    const global = await outputOf('npm', ['root', '--global']);
    await cp(join(global, 'npm'), join(folder, 'npm'), { recursive: true });
    const authority = await outputOf('npm', ['config', 'get', 'cafile']);
    const certificates = ['null', 'undefined', ''].includes(authority)
      ? ''
      : await readFile(authority, 'utf8');
    await writeFile(join(folder, 'authority.crt'), certificates);
    await writeFile(
      join(folder, 'npmrc'),
      certificates === '' ? '' : 'cafile=/etc/authority.crt\n',
    );
    await writeFile(
      join(folder, 'Dockerfile'),
      `FROM ${DEBIAN}
COPY node_modules/${platform}/bin/node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY authority.crt /etc/authority.crt
COPY npmrc /usr/local/etc/npmrc
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd --create-home --uid 1000 node
`,
    );
    await engine.docker(['build', '--quiet', '--network', 'host', '--tag', name, folder]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Answers other hosts without a password, as the image of the registry does. */
async function makeRedis(engine: Engine, name: string): Promise<void> {
  await makeServer(
    engine,
    name,
    'redis-server',
    `ENTRYPOINT ["sh", "-c", "exec \\"$@\\" --protected-mode no", "redis"]
CMD ["redis-server"]
`,
  );
}

const POSTGRES_BIN = '/usr/lib/postgresql/15/bin';
const POSTGRES_DATA = '/var/lib/postgresql/data';
const AS_POSTGRES = 'setpriv --reuid=postgres --regid=postgres --clear-groups';

/** Makes its database when it starts first, for everybody: of the variables it knows the init arguments. */
async function makePostgres(engine: Engine, name: string): Promise<void> {
  const start = [
    'set -e',
    'shift',
    `if [ ! -s ${POSTGRES_DATA}/PG_VERSION ]; then install -d -o postgres -g postgres -m 700 ${POSTGRES_DATA}`,
    `${AS_POSTGRES} ${POSTGRES_BIN}/initdb -D ${POSTGRES_DATA} -U postgres --auth=trust --encoding=UTF8 $POSTGRES_INITDB_ARGS`,
    `echo host all all all trust >> ${POSTGRES_DATA}/pg_hba.conf`,
    'fi',
    `exec ${AS_POSTGRES} ${POSTGRES_BIN}/postgres -D ${POSTGRES_DATA} -c listen_addresses=* "$@"`,
  ].join('; ');
  await makeServer(
    engine,
    name,
    'postgresql-15',
    `ENTRYPOINT ${JSON.stringify(['sh', '-c', start.replaceAll('then;', 'then'), 'postgres'])}
CMD ["postgres"]
STOPSIGNAL SIGINT
`,
  );
}

async function makeServer(
  engine: Engine,
  name: string,
  aptPackage: string,
  end: string,
): Promise<void> {
  await debian(engine);
  const file = `FROM ${DEBIAN}
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends ${aptPackage} && rm -rf /var/lib/apt/lists/*
${end}`;
  await engine.docker(['build', '--quiet', '--network', 'host', '--tag', name, '-'], file);
}
