import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedModelServer } from '../scripted-model-server.ts';
import { ownPostgres } from '../servers/postgres.ts';
import { PostgresPair, type Replication } from '../servers/postgres-pair.ts';
import { ownRedis } from '../servers/redis.ts';
import { RedisTrio } from '../servers/redis-trio.ts';
import type { TestServer } from '../servers/test-server.ts';
import { ServiceProcess, type Variables } from '../service-process.ts';
import { addKills } from './kill-count.ts';

export type Layout = {
  store: 'sqlite' | 'postgres';
  /** In process: one process that does everything, and no workers. */
  queue: 'in-process' | 'bullmq';
  apis: number;
  workers: number;
  /** For every process. */
  variables?: Variables;
  /** PostgreSQL has a standby, which is promoted when the killed server is started again. */
  standby?: Replication;
  /** Redis has a replica, and a sentinel that promotes it when the master is killed. */
  sentinel?: true;
};

/** What can be killed. */
export type Victim = 'api' | 'worker' | 'redis' | 'postgres';

const PREFIX = 'faults';

/**
 * A whole installation for tests: API and worker processes over a store and a queue of their own,
 * and a scripted model provider. Locks and dispatching are quick, so that others soon take over.
 */
export class Cluster {
  readonly layout: Layout;
  readonly model: ScriptedModelServer;
  readonly redis: TestServer | null;
  readonly postgres: TestServer | null;
  readonly apis: ServiceProcess[] = [];
  readonly workers: ServiceProcess[] = [];
  readonly #kills = new Map<Victim, number>();
  readonly #folder: string;
  #turn = 0;

  private constructor(
    layout: Layout,
    folder: string,
    model: ScriptedModelServer,
    servers: Pick<Cluster, 'redis' | 'postgres'>,
  ) {
    this.layout = layout;
    this.#folder = folder;
    this.model = model;
    this.redis = servers.redis;
    this.postgres = servers.postgres;
  }

  static async start(layout: Layout): Promise<Cluster> {
    const cluster = new Cluster(
      layout,
      await mkdtemp(join(tmpdir(), 'palimpsest-cluster-')),
      await ScriptedModelServer.start(),
      {
        // It keeps its data, as the Redis of a careful operator does: `FLUSHALL` is what empties it.
        redis: layout.queue === 'bullmq' ? await redisFor(layout) : null,
        postgres: layout.store === 'postgres' ? await postgresFor(layout) : null,
      },
    );
    try {
      // One after the other: the first one creates the tables.
      for (let i = 0; i < layout.apis; i++) await cluster.addApi();
      await Promise.all(Array.from({ length: layout.workers }, () => cluster.addWorker()));
      return cluster;
    } catch (error) {
      await cluster.dispose();
      throw error;
    }
  }

  async addApi(variables: Variables = {}): Promise<ServiceProcess> {
    const role = this.layout.queue === 'bullmq' ? 'api' : 'all';
    const api = await ServiceProcess.start({ ...this.#variables(role), ...variables });
    this.apis.push(api);
    return api;
  }

  async addWorker(variables: Variables = {}): Promise<ServiceProcess> {
    const worker = await ServiceProcess.start({ ...this.#variables('worker'), ...variables });
    this.workers.push(worker);
    return worker;
  }

  /** Removes a process for good. */
  async remove(process: ServiceProcess): Promise<void> {
    for (const list of [this.apis, this.workers]) {
      const index = list.indexOf(process);
      if (index >= 0) list.splice(index, 1);
    }
    await process.dispose();
  }

  /** The address of an API that runs, the next one each time; of one that is dead when all are. */
  readonly url = (): string => {
    const alive = this.apis.filter((api) => api.isRunning);
    const candidates = alive.length > 0 ? alive : this.apis;
    this.#turn += 1;
    return candidates[this.#turn % candidates.length]?.url ?? '';
  };

  /** For `openStore`, and for clients of PostgreSQL. */
  get databaseUrl(): string {
    return this.postgres?.url ?? `file:${join(this.#folder, 'palimpsest.db')}`;
  }

  /** Keys of the queue in Redis begin with it. */
  get queuePrefix(): string {
    return PREFIX;
  }

  /** SIGKILL; counted. Throws when it is not there to be killed. */
  async kill(process: ServiceProcess): Promise<void> {
    if (!process.isRunning) throw new Error(`a process has ended by itself:\n${this.output}`);
    this.#count(this.workers.includes(process) ? 'worker' : 'api');
    await process.kill();
  }

  /** Starts a process that is down and kills it after some milliseconds of its start; counted. */
  async killWhileStarting(process: ServiceProcess, afterMs: number): Promise<void> {
    this.#count(this.workers.includes(process) ? 'worker' : 'api');
    await process.killWhileStarting(afterMs);
  }

  /** SIGKILL of a server; counted. Throws when the layout has none. */
  async killServer(name: 'redis' | 'postgres'): Promise<TestServer> {
    const server = this[name];
    if (server === null) throw new Error(`this cluster has no ${name}`);
    this.#count(name);
    await server.kill();
    return server;
  }

  get kills(): ReadonlyMap<Victim, number> {
    return this.#kills;
  }

  get killed(): number {
    return [...this.#kills.values()].reduce((sum, count) => sum + count, 0);
  }

  /** What `palimpsest verify` says of the store; null when all is well. */
  async verify(): Promise<string | null> {
    const [api] = this.apis;
    if (api === undefined) throw new Error('verify needs an API process');
    const { exit, output } = await api.command('verify');
    return exit === 0 && /\d+ sessions?, \d+ events?: ok/.test(output)
      ? null
      : `${exit}: ${output}`;
  }

  /** What the processes have printed, for messages of failure. */
  get output(): string {
    const named = [
      ...this.apis.map((process, index) => [`api ${index + 1}`, process] as const),
      ...this.workers.map((process, index) => [`worker ${index + 1}`, process] as const),
    ];
    return named.map(([name, { output }]) => `--- ${name}\n${output.slice(-4_000)}`).join('\n');
  }

  async dispose(): Promise<void> {
    addKills(this.killed);
    await Promise.all([...this.apis, ...this.workers].map((process) => process.dispose()));
    await this.model.close();
    await this.redis?.dispose();
    await this.postgres?.dispose();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #count(victim: Victim): void {
    this.#kills.set(victim, (this.#kills.get(victim) ?? 0) + 1);
  }

  #variables(role: 'all' | 'api' | 'worker'): Variables {
    return {
      ROLE: role,
      DATABASE_URL: this.databaseUrl,
      ...(this.redis === null ? {} : { REDIS_URL: this.redis.url }),
      PALIMPSEST_QUEUE_PREFIX: PREFIX,
      // A process that only waits for the processor is to keep its job.
      PALIMPSEST_JOB_LOCK_SECONDS: '3',
      PALIMPSEST_DISPATCH_SECONDS: '1',
      PALIMPSEST_SUMMARIZATION_MODEL: 'openai/test-model',
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: this.model.openaiUrl,
      ...this.layout.variables,
    };
  }
}

function redisFor({ sentinel }: Layout): Promise<TestServer> {
  return sentinel === undefined ? ownRedis({ persistent: true }) : RedisTrio.start();
}

function postgresFor({ standby }: Layout): Promise<TestServer> {
  return standby === undefined ? ownPostgres() : PostgresPair.start(standby);
}
