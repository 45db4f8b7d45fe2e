import { createClient, type PalimpsestClient } from '../../src/client/client.ts';
import { pingPostgres } from '../support/servers/postgres.ts';
import { pingRedis } from '../support/servers/redis.ts';
import { freePort, untilItWorks } from '../support/servers/waiting.ts';
import type { Engine } from './engine.ts';

const READY_LIMIT_MS = 120_000;
const KEY = 'a-key-of-the-tests-that-is-long-enough';

/** What docker-compose.yml asks for, too. */
const HARDENED = [
  ...['--read-only', '--tmpfs', '/tmp'],
  ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true'],
];

/** Containers of one test file, on the network of this machine, each on a port of its own. */
export class Containers {
  readonly #engine: Engine;
  readonly #names: string[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The service in a role, without any right that it does not need; resolves before it is ready. */
  async service(
    image: string,
    { volume, ...environment }: Record<string, string>,
  ): Promise<ServiceContainer> {
    const port = await freePort();
    const variables = { ...environment, PORT: String(port), PALIMPSEST_API_KEYS: `tests:${KEY}` };
    const name = await this.#start([
      ...HARDENED,
      ...(volume === undefined ? [] : ['--volume', `${volume}:/data`]),
      ...Object.entries(variables).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      image,
    ]);
    return new ServiceContainer(this.#engine, name, port);
  }

  /** Resolves when it takes commands. */
  async redis(image: string): Promise<ServerContainer> {
    const port = await freePort();
    const name = await this.#start([image, 'redis-server', '--port', String(port)]);
    return this.#answering(name, `redis://127.0.0.1:${port}`, pingRedis);
  }

  /** Resolves when it takes commands. */
  async postgres(image: string): Promise<ServerContainer> {
    const port = await freePort();
    const trust = ['--env', 'POSTGRES_HOST_AUTH_METHOD=trust'];
    const name = await this.#start([...trust, image, 'postgres', '-c', `port=${port}`]);
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    return this.#answering(name, url, pingPostgres);
  }

  async removeAll(): Promise<void> {
    if (this.#names.length === 0) return;
    await this.#engine.docker(['rm', '--force', '--volumes', ...this.#names]);
  }

  async #answering(
    name: string,
    url: string,
    ping: (url: string) => Promise<void>,
  ): Promise<ServerContainer> {
    await untilItWorks(() => ping(url), READY_LIMIT_MS);
    return new ServerContainer(this.#engine, name, url);
  }

  async #start(args: readonly string[]): Promise<string> {
    const name = await this.#engine.docker(['run', '--detach', '--network', 'host', ...args]);
    this.#names.push(name);
    return name;
  }
}

class Container {
  readonly name: string;
  protected readonly engine: Engine;

  constructor(engine: Engine, name: string) {
    this.engine = engine;
    this.name = name;
  }

  /** SIGKILL, as a crash. */
  async kill(): Promise<void> {
    await this.engine.docker(['kill', this.name]);
  }

  async start(): Promise<void> {
    await this.engine.docker(['start', this.name]);
  }

  /** What a command prints inside. Throws with its error output when it fails. */
  exec(...command: string[]): Promise<string> {
    return this.engine.docker(['exec', this.name, ...command]);
  }
}

class ServerContainer extends Container {
  readonly url: string;

  constructor(engine: Engine, name: string, url: string) {
    super(engine, name);
    this.url = url;
  }
}

class ServiceContainer extends Container {
  readonly client: PalimpsestClient;
  readonly #url: string;

  constructor(engine: Engine, name: string, port: number) {
    super(engine, name);
    this.#url = `http://127.0.0.1:${port}`;
    this.client = createClient({ url: this.#url, key: KEY });
  }

  /** Resolves when it says that it can do its work. Throws with its log when it does not get there. */
  async ready(): Promise<void> {
    try {
      await untilItWorks(async () => {
        const { status } = await fetch(`${this.#url}/readyz`);
        if (status !== 200) throw new Error(`/readyz answers ${status}`);
      }, READY_LIMIT_MS);
    } catch (error) {
      const log = await this.engine.docker(['logs', '--tail', '20', this.name]);
      throw new Error(`not ready: ${log}`, { cause: error });
    }
  }

  /** SIGTERM, as orchestrators do it; answers the exit code. */
  async stop(): Promise<number> {
    await this.engine.docker(['stop', '--time', '30', this.name]);
    const format = ['--format', '{{.State.ExitCode}}'];
    return Number(await this.engine.docker(['inspect', ...format, this.name]));
  }
}
