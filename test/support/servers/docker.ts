import { access } from 'node:fs/promises';
import { request } from 'node:http';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { StartedTestContainer } from 'testcontainers';
import type { TestServer } from './test-server.ts';
import { freePort, untilItWorks } from './waiting.ts';

const ENGINE_ANSWERS_WITHIN_MS = 1000;
const START_LIMIT_MS = 60_000;

type Image = {
  name: string;
  port: number;
  command: string[];
  environment?: Record<string, string>;
  url: (host: string, port: number) => string;
  /** Throws while the server at this address does not take commands. */
  ping: (url: string) => Promise<void>;
};

/** Runs the image in a container. Throws soon when no Docker engine answers. */
export async function startContainer(image: Image): Promise<TestServer> {
  await findEngine();
  // Only now: it takes most of a second to load.
  const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers');
  const host = await freePort();
  // A port of ours: one that Docker chooses would change with every start.
  const container: StartedTestContainer = await new GenericContainer(image.name)
    .withCommand(image.command)
    .withEnvironment(image.environment ?? {})
    .withExposedPorts({ container: image.port, host })
    .start();
  const url = image.url(container.getHost(), host);
  const ready = () => untilItWorks(() => image.ping(url), START_LIMIT_MS);
  await ready();
  const handle = async () =>
    (await getContainerRuntimeClient()).container.getById(container.getId());
  return {
    url,
    how: `Docker image ${image.name}`,
    kill: async () => {
      await (await handle()).kill();
    },
    start: async () => {
      await (await handle()).start();
      await ready();
    },
    dispose: async () => {
      await container.stop();
    },
  };
}

/** Throws when no engine answers. The library asks with time limits of ten seconds and more. */
async function findEngine(): Promise<void> {
  const { DOCKER_HOST } = process.env;
  // An engine elsewhere was meant: the library knows all the ways to reach it.
  if (DOCKER_HOST !== undefined && !DOCKER_HOST.startsWith('unix://')) return;
  const given = DOCKER_HOST?.replace('unix://', '');
  const sockets = given === undefined ? usualSockets() : [given];
  for (const socket of sockets) {
    if ((await isThere(socket)) && (await answers(socket))) return;
  }
  throw new Error('no engine answers');
}

function usualSockets(): string[] {
  return [
    '/var/run/docker.sock',
    join(process.env.XDG_RUNTIME_DIR ?? `/run/user/${userInfo().uid}`, 'docker.sock'),
    join(homedir(), '.docker/run/docker.sock'),
    join(homedir(), '.docker/desktop/docker.sock'),
  ];
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = request({ socketPath, path: '/_ping', timeout: ENGINE_ANSWERS_WITHIN_MS });
    ping.once('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.once('timeout', () => ping.destroy());
    ping.once('error', () => resolve(false));
    ping.once('close', () => resolve(false));
    ping.end();
  });
}
