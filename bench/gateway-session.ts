import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedProvider } from '../test/support/gateway/provider.ts';
import { SDKS, taskScript } from '../test/support/gateway/sdk-task.ts';
import type { Figure } from './figures.ts';
import { startBuilt } from './processes.ts';

const WINDOW = 30_000;
const CHARACTERS_PER_TOKEN = 4;
/** Of a token of input that is read from the cache, written to it, and neither. */
const PRICES = { read: 0.1, write: 1.25, plain: 1 };

/** Tokens of all requests of a task, and of those the ones that the request before had begun with. */
type Sent = { all: number; common: number; requests: number; largest: number };

/** One task of a client with its official SDK, through the gateway and without it. */
export async function sessionThroughGateway(calls: number): Promise<Figure[]> {
  const ours = await sentWith(calls, true);
  const bare = await sentWith(calls, false);
  const of = `gateway, a task of ${calls} calls in a window of ${WINDOW} tokens`;
  const without = 'without us, in a window without end';
  const row = (what: string, unit: string, figure: (sent: Sent) => number): Figure => ({
    what: `${of}: ${what}`,
    unit,
    ours: figure(ours),
    baseline: { what: without, value: figure(bare) },
  });
  return [
    row('largest request', 'tokens', ({ largest }) => largest),
    row(
      'share of each request that the one before begins with',
      '',
      ({ common, all }) => common / all,
    ),
    row(
      'bytes of that, each request',
      'bytes',
      ({ common, requests }) => (common * CHARACTERS_PER_TOKEN) / requests,
    ),
    row(
      'price of its input with a cache, in tokens',
      'tokens',
      ({ common, all }) => common * PRICES.read + (all - common) * PRICES.write,
    ),
    row('price of its input without a cache', 'tokens', ({ all }) => all * PRICES.plain),
  ];
}

async function sentWith(calls: number, isOurs: boolean): Promise<Sent> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
  const provider = await ScriptedProvider.start();
  provider.script = taskScript(calls);
  const service = isOurs
    ? await startBuilt({
        DATABASE_URL: `file:${join(folder, 'palimpsest.db')}`,
        PALIMPSEST_UPSTREAM_ANTHROPIC: provider.url,
      })
    : null;
  try {
    const headers = { 'x-palimpsest-context-window': String(WINDOW) };
    await SDKS.messages({ url: service?.url ?? provider.url, stream: true, headers });
    const bodies = provider.turns.map(({ raw }) => raw);
    const common = bodies.map((body, index) => commonStart(body, bodies[index - 1]));
    const sum = (figures: readonly number[]) =>
      figures.reduce((all, each) => all + each, 0) / CHARACTERS_PER_TOKEN;
    const sizes = bodies.map(({ length }) => length);
    return {
      all: sum(sizes),
      common: sum(common),
      requests: bodies.length,
      largest: Math.max(...sizes) / CHARACTERS_PER_TOKEN,
    };
  } finally {
    await service?.stop();
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How many bytes both begin with. */
function commonStart(one: Buffer, other: Buffer | undefined): number {
  if (other === undefined) return 0;
  const end = Math.min(one.length, other.length);
  let at = 0;
  while (at < end && one[at] === other[at]) at += 1;
  return at;
}
