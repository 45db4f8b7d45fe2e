import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { TestServer } from './test-server.ts';
import { freePort, untilItWorks } from './waiting.ts';

const START_LIMIT_MS = 120_000;
/** How often another port is tried when somebody took the free one first. */
const PORT_ATTEMPTS = 3;
const PORT_TAKEN = /address already in use/i;
/** What Redis, Valkey, their sentinels and PostgreSQL say, the last after a recovery only. */
const READY = /ready to accept (?:read-only )?connections|\+monitor master/i;
const OUTPUT_KEPT = 4000;

export type LocalProgram = {
  how: string;
  command: string;
  parameters: (port: number) => string[];
  /** Everything that the server writes; removed with it. */
  folder: string;
  /** The user that it runs as, where that is not the one who runs the tests. */
  user?: { uid: number; gid: number };
  url: (port: number) => string;
};

type Running = { child: ChildProcess; exited: Promise<void> };

/** A server that runs as a child process on a free port of this machine. */
export class LocalServer implements TestServer {
  readonly how: string;
  readonly #program: LocalProgram;
  readonly #port: number;
  #running: Running | null = null;

  private constructor(program: LocalProgram, port: number) {
    this.how = program.how;
    this.#program = program;
    this.#port = port;
  }

  /** Throws with the server's own output when it does not start. Its folder is gone then. */
  static async start(program: LocalProgram): Promise<LocalServer> {
    for (let attempt = 1; ; attempt += 1) {
      const server = new LocalServer(program, await freePort());
      try {
        await server.#launch();
        return server;
      } catch (error) {
        if (attempt < PORT_ATTEMPTS && PORT_TAKEN.test(String(error))) continue;
        await server.dispose();
        throw error;
      }
    }
  }

  get url(): string {
    return this.#program.url(this.#port);
  }

  async kill(): Promise<void> {
    if (this.#running === null) throw new Error('the server is not running');
    const { child, exited } = this.#running;
    this.#running = null;
    // Those of PostgreSQL's children that are in the middle of a query would outlive it for a while.
    const children = childrenOf(child);
    child.kill('SIGKILL');
    for (const pid of children) killIfThere(pid);
    await exited;
  }

  async start(): Promise<void> {
    if (this.#running !== null) throw new Error('the server is running already');
    // A killed server's memory and port may be held for a moment longer.
    await untilItWorks(() => this.#launch(), START_LIMIT_MS);
  }

  async dispose(): Promise<void> {
    if (this.#running !== null) await this.kill();
    // The last children of a killed PostgreSQL may still be writing.
    await rm(this.#program.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  async #launch(): Promise<void> {
    const { command, parameters, user, folder } = this.#program;
    const child = spawn(command, parameters(this.#port), {
      cwd: folder,
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Out of the terminal's reach: Ctrl-C ends the tests, and these end their servers.
      detached: true,
      ...user,
    });
    const exited = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    const guard = guardOf(child, folder);
    void exited.then(() => guard.kill('SIGKILL'));
    this.#running = { child, exited };
    try {
      await readinessOf(child);
    } catch (error) {
      this.#running = null;
      child.kill('SIGKILL');
      await exited;
      throw error;
    }
  }
}

/** Resolves when the server says that it is ready; throws with its output when it is not to be. */
function readinessOf(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (what: string) => {
      clearTimeout(timer);
      reject(new Error(`${server.spawnfile} ${what}: ${output.trim()}`));
    };
    const timer = setTimeout(() => fail(`was not ready in ${START_LIMIT_MS} ms`), START_LIMIT_MS);
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_KEPT);
      if (!READY.test(output)) return;
      clearTimeout(timer);
      resolve();
    };
    server.stdout?.on('data', read);
    server.stderr?.on('data', read);
    server.once('error', (error) => fail(error.message));
    server.once('close', () => fail('ended at its start'));
  });
}

/**
 * A process that waits for the end of this one, however that comes about, and then ends the server
 * and removes its folder: exit handlers do not run after a SIGKILL, and vitest kills its forks.
 */
function guardOf(server: ChildProcess, folder: string): ChildProcess {
  const script = 'read -r _; kill -9 "$1"; sleep 1; rm -rf "$2"';
  const guard = spawn('sh', ['-c', script, 'guard', String(server.pid), folder], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  return guard;
}

function childrenOf({ pid }: ChildProcess): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return list.split(' ').filter(Boolean).map(Number);
  } catch {
    // Only Linux says. Elsewhere they find out by themselves, and `start` waits for it.
    return [];
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
