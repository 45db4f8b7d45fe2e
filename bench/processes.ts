import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const SERVICE = { PORT: '0', PALIMPSEST_SUMMARIZATION_MODEL: 'extractive', LOG_LEVEL: 'warn' };

export type ServerProcess = {
  url: string;
  /** CPU time that the process has used so far, in microseconds. */
  cpuMicroseconds: () => Promise<number>;
  stop: () => Promise<void>;
};

/** The service as `palimpsest serve` runs it, on a free port, without a summariser's model. */
export function startOurs(variables: Record<string, string>): Promise<ServerProcess> {
  return startServer(['src/cli.ts', 'serve'], { ...SERVICE, ...variables });
}

/** The same from `dist`, as users run it, with threads; it does not tell its CPU time. */
export function startBuilt(
  variables: Record<string, string>,
): Promise<Omit<ServerProcess, 'cpuMicroseconds'>> {
  return startServer(['dist/cli.js', 'serve'], { ...SERVICE, ...variables }, []);
}

/** A script of this folder that prints `listening on …` when it is ready. */
export function startScript(name: string, ...parameters: string[]): Promise<ServerProcess> {
  return startServer([`bench/${name}`, ...parameters], {});
}

/** Answered appends per second over `seconds`, one connection for each of the sessions. */
export async function runLoad(
  url: string,
  sessions: readonly string[],
  seconds: number,
): Promise<number> {
  const result = await runJob('load-generator.ts', { url, sessions, seconds });
  return z.object({ per_second: z.number() }).parse(result).per_second;
}

/** Runs a script of this folder that takes its job as JSON; answers the last line that it prints, as JSON. */
export async function runJob(name: string, job: object): Promise<unknown> {
  const args = ['--import', 'tsx', `bench/${name}`, JSON.stringify(job)];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${name} ended with code ${code}`);
  return JSON.parse(lines.at(-1) ?? '');
}

async function startServer(
  args: readonly string[],
  environment: Record<string, string>,
  // A thread of the built service cannot load them.
  imports = ['--import', 'tsx', '--import', './bench/report-cpu.ts'],
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...imports, ...args], {
    cwd: ROOT,
    // Nothing of the caller's settings may change what is measured.
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const { stdout } = child;
  if (stdout === null) throw new Error('the output of a server is a pipe');
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(stdout).on('line', (line) => {
      const found = /^listening on (\S+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with code ${code}`)));
  });
  return { url, cpuMicroseconds: () => cpuOf(child), stop: () => stop(child) };
}

async function cpuOf(child: ChildProcess): Promise<number> {
  const answered = once(child, 'message');
  child.send('cpu');
  const [usage] = await answered;
  const { user, system } = z.object({ user: z.number(), system: z.number() }).parse(usage);
  return user + system;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
