import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { aptInstall } from '../support/servers/apt.ts';
import { findOnPath } from '../support/servers/programs.ts';
import { untilItWorks } from '../support/servers/waiting.ts';

const START_LIMIT_MS = 60_000;
const OUTPUT_LIMIT = 64 * 1024 * 1024;

/** A Docker engine, and its command line. */
export type Engine = {
  how: string;
  /** The address for DOCKER_HOST; null where it is the usual one. */
  host: string | null;
  /** What the command prints. Throws with its error output when it fails. */
  docker: (args: readonly string[], input?: string) => Promise<string>;
  /** Ends what was started; an engine that was there before goes on. */
  stop: () => Promise<void>;
};

/** The engine that answers; else one of ours, from Debian's package where none is installed. */
export async function startEngine(): Promise<Engine> {
  const usual = process.env.DOCKER_HOST ?? null;
  try {
    await docker(usual, ['info', '--format', '{{.ServerVersion}}']);
    return {
      how: 'the engine of this machine',
      host: usual,
      docker: (args, input) => docker(usual, args, input),
      stop: async () => {},
    };
  } catch {
    return ownEngine();
  }
}

async function ownEngine(): Promise<Engine> {
  const program = await findOnPath('dockerd').catch(async () => {
    await aptInstall('docker.io');
    return findOnPath('dockerd');
  });
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-docker-'));
  const host = `unix://${join(folder, 'docker.sock')}`;
  const daemon = spawn(
    program,
    [
      ...['--host', host, '--pidfile', join(folder, 'docker.pid')],
      ...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')],
      // The rules of this machine's firewall stay as they are: containers are reached by a proxy.
      ...['--iptables=false', '--ip6tables=false', '--log-level', 'warn'],
    ],
    { stdio: 'ignore' },
  );
  const engine = {
    how: program,
    host,
    docker: (args: readonly string[], input?: string) => docker(host, args, input),
    stop: () => stop(daemon, folder),
  };
  try {
    await untilItWorks(async () => {
      if (daemon.exitCode !== null) throw new Error(`${program} ended: does it run as root?`);
      await engine.docker(['info']);
    }, START_LIMIT_MS);
  } catch (error) {
    await engine.stop();
    throw error;
  }
  return engine;
}

/** With its containers, which end with it. */
async function stop(daemon: ChildProcess, folder: string): Promise<void> {
  if (daemon.exitCode === null) {
    const ended = once(daemon, 'exit');
    daemon.kill('SIGTERM');
    await ended;
  }
  // The engine leaves it mounted once a container has had the network of this machine, and what is
  // mounted cannot be removed: it would be tried again for minutes.
  const network = join(folder, 'exec', 'netns', 'default');
  await promisify(execFile)('umount', [network]).catch(() => {});
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

async function docker(
  host: string | null,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const env = {
    ...process.env,
    ...(host !== null && { DOCKER_HOST: host }),
    // An engine as old as Debian's has no other builder.
    DOCKER_BUILDKIT: '0',
  };
  const running = promisify(execFile)('docker', [...args], { env, maxBuffer: OUTPUT_LIMIT });
  if (input !== undefined) running.child.stdin?.end(input);
  const { stdout, stderr } = await running;
  // What a container has written comes on the channel on which it wrote it.
  return (args[0] === 'logs' ? stdout + stderr : stdout).trim();
}
