import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const LISTENING = /^listening on (http:\S+)$/m;

export type Variables = Readonly<Record<string, string>>;
/** An exit code, or the name of the signal that ended the process. */
export type Exit = number | NodeJS.Signals;
type Child = ChildProcessByStdio<null, Readable, Readable>;
/** Children under way: a test run that ends early must not leave services behind. */
const children = new Set<Child>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

type Running = { child: Child; exited: Promise<Exit> };

/**
 * The real service as a child process (`palimpsest serve`) on a free port, over a SQLite file in a
 * temporary folder where the variables name no other store. It sees no environment but what the test
 * gives it. Needs the build that `build-once.ts` makes.
 */
export class ServiceProcess {
  readonly #folder: string;
  readonly #environment: Variables;
  readonly #onDispose: () => Promise<void>;
  #running: Running | null = null;
  #url = '';
  #output = '';

  private constructor(folder: string, variables: Variables, onDispose: () => Promise<void>) {
    this.#folder = folder;
    this.#onDispose = onDispose;
    this.#environment = {
      ...bareEnvironment(),
      PORT: '0',
      LOG_LEVEL: 'warn',
      DATABASE_URL: `file:${join(folder, 'palimpsest.db')}`,
      ...variables,
    };
  }

  /** `onDispose`: removes what the service was given, once it is gone. */
  static async start(
    variables: Variables = {},
    onDispose = async () => {},
  ): Promise<ServiceProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'palimpsest-e2e-'));
    const service = new ServiceProcess(folder, variables, onDispose);
    try {
      await service.restart();
    } catch (error) {
      await service.dispose();
      throw error;
    }
    return service;
  }

  /** The address of the last process that listened; changes with every restart. */
  get url(): string {
    return this.#url;
  }

  /** Where its SQLite file is, and what it writes beside it. */
  get folder(): string {
    return this.#folder;
  }

  /** What all processes on this folder have printed, warnings and errors included. */
  get output(): string {
    return this.#output;
  }

  /** Whether there is a process; false also when it has ended by itself. */
  get isRunning(): boolean {
    const child = this.#running?.child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Starts the service again on the same folder; resolves when it listens. */
  async restart(): Promise<void> {
    const child = this.#spawn();
    const exited = exitOf(child);
    this.#running = { child, exited };
    try {
      this.#url = await this.#listening(child, exited);
    } catch (error) {
      this.#running = null;
      throw error;
    }
  }

  /** Starts it and kills it `afterMs` milliseconds later, wherever its start has got by then. */
  async killWhileStarting(afterMs: number): Promise<void> {
    const child = this.#spawn();
    const exited = exitOf(child);
    const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
    await exited;
    clearTimeout(timer);
  }

  /** Ends the process at once, as a power cut would; resolves when it is gone. */
  async kill(): Promise<void> {
    const { child, exited } = this.#alive();
    this.#running = null;
    child.kill('SIGKILL');
    await exited;
  }

  /** Stops it in its tracks, as a machine does that is suspended; `resume` lets it go on. */
  pause(): void {
    this.#alive().child.kill('SIGSTOP');
  }

  resume(): void {
    this.#alive().child.kill('SIGCONT');
  }

  /** Asks it to end in good order; answers how it ended. */
  async stop(): Promise<Exit> {
    const { child, exited } = this.#alive();
    this.#running = null;
    child.kill('SIGTERM');
    return exited;
  }

  /** Runs another command of the command line on the same store. */
  async command(...parameters: string[]): Promise<{ exit: Exit; output: string }> {
    const child = spawn(process.execPath, [CLI, ...parameters], {
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    return { exit: await exitOf(child), output };
  }

  /** Ends the process if it is still there and removes all that it has left. */
  async dispose(): Promise<void> {
    if (this.#running !== null) await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
    await this.#onDispose();
  }

  #alive(): Running {
    if (this.#running === null) throw new Error('the service is not running');
    return this.#running;
  }

  #spawn(): Child {
    if (this.#running !== null) throw new Error('the service is running already');
    const child = spawn(process.execPath, [CLI, 'serve'], {
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const read = (chunk: Buffer) => {
      this.#output += chunk.toString();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    children.add(child);
    child.once('close', () => children.delete(child));
    return child;
  }

  #listening(child: Child, exited: Promise<Exit>): Promise<string> {
    return new Promise((resolve, reject) => {
      let printed = '';
      child.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        const url = LISTENING.exec(printed)?.[1];
        if (url !== undefined) resolve(url);
      });
      exited.then(
        (exit) => reject(new Error(`the service ended at its start (${exit}):\n${this.#output}`)),
        reject,
      );
    });
  }
}

/** Resolves when the process has ended and all its output is read. */
function exitOf(child: Child): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  });
}

/** What a process needs to run at all; no keys and no settings of the machine. */
function bareEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot'];
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
