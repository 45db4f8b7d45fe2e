import { createServer } from 'node:net';
import { listenError } from '../../listen.ts';
import { packageVersion } from '../../package-version.ts';
import { releaseOf } from '../ask.ts';
import { remoteTarget } from '../target.ts';
import { type Finding, note, ok, trouble } from './finding.ts';

const CHECK = 'port';

/**
 * Whether the service can listen where it is told to, or listens there already; `other` is the release
 * of another one that does.
 */
export async function checkPort(
  host: string,
  port: number,
): Promise<{ finding: Finding; other: string | null }> {
  if (port === 0) {
    const finding = note(CHECK, 'any free one (PORT=0)', 'set PORT if clients have to know it');
    return { finding, other: null };
  }
  const error = await tryListening(host, port);
  if (error === null) {
    const says = `${port} of ${host} is free: "palimpsest serve" starts the service there`;
    return { finding: ok(CHECK, says), other: null };
  }
  if (!('code' in error && error.code === 'EADDRINUSE')) {
    const [says = '', advice = ''] = listenError(error, host, port).message.split(': ', 2);
    return { finding: trouble(CHECK, says, advice), other: null };
  }
  return whoListens(host, port);
}

/** Null when it can listen. */
function tryListening(host: string, port: number): Promise<Error | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

/** An address that listens everywhere is reached here. */
const EVERYWHERE = new Set(['0.0.0.0', '::', '']);

async function whoListens(host: string, port: number) {
  const name = EVERYWHERE.has(host) ? '127.0.0.1' : host;
  const target = remoteTarget(`http://${name.includes(':') ? `[${name}]` : name}:${port}`);
  const release = await releaseOf(target).catch(() => null);
  const ours = packageVersion();
  if (release === null) {
    const says = `${port} of ${host} is in use by another program`;
    return { finding: trouble(CHECK, says, 'stop that one, or set PORT to another'), other: null };
  }
  if (release !== ours) {
    const says = `Palimpsest ${release} listens at ${target.place}, this is ${ours}`;
    return {
      finding: trouble(CHECK, says, 'start that service anew with this release'),
      other: release,
    };
  }
  const ready = await target.request('/readyz').catch(() => null);
  if (ready?.ok !== true) {
    const says = `the service at ${target.place} is not ready: store or queue are away`;
    return { finding: trouble(CHECK, says, 'see its log, and store and queue below'), other: null };
  }
  return { finding: ok(CHECK, `the service listens at ${target.place} and is ready`), other: null };
}
