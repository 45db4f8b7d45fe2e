import { z } from 'zod';
import { jsonOf } from '../src/cli/target.ts';
import type { JsonObject } from '../src/domain/json.ts';
import { BareLog } from './bare-log.ts';
import { BenchClient } from './client.ts';
import type { Figure } from './figures.ts';
import { type LocalService, withLocalService } from './local-service.ts';
import { toolSession } from './sample-items.ts';
import { median, timed } from './statistics.ts';

/** Calls with 4 KB results that make a context of a little over 200,000 tokens, margin included. */
const CALLS = 150;
const CONTEXT_TOKENS = 200_000;
const WINDOW = 400_000;

/** How many times the baseline each may take. */
const AT_MOST = { placeholders: 3, full: 6 };

/**
 * Compactions of each kind that are not counted. A process compiles what it does often: its first
 * compaction takes three to five times as long as its tenth, and a service runs for days.
 */
const WARM_UP = 10;

const BASELINE = 'reading and parsing its events';

/**
 * What compacting a context of 200,000 tokens costs this service: from request to answer, a full one
 * without the time of the (scripted) model. Milliseconds.
 */
export function compactionTime(repeats: number): Promise<Figure[]> {
  return withLocalService({ summarizer: 'model', synchronous: 'FULL' }, async (service) => {
    const client = new BenchClient(service.target);
    const log = new BareLog(service.databasePath);
    const times = {
      digests: [] as number[],
      placeholders: [] as number[],
      full: [] as number[],
      parse: [] as number[],
    };
    for (let repeat = -WARM_UP; repeat < repeats; repeat++) {
      const id = `compaction-${repeat}`;
      await create(client, id);
      const tokens = await client.contextTokens(id);
      if (tokens < CONTEXT_TOKENS) throw new Error(`the context has only ${tokens} tokens`);
      const parse = await log.parseSession(id);
      const full = await fullWithoutModel(service, client, id);
      // The same context again, for the other kinds.
      const digests = await micro(client, `${id}-digests`, 'digest');
      const placeholders = await micro(client, `${id}-placeholders`, 'placeholder');
      if (repeat < 0) continue;
      times.parse.push(parse);
      times.full.push(full);
      times.digests.push(digests);
      times.placeholders.push(placeholders);
    }
    log.close();
    const figure = (what: string, milliseconds: number[]): Figure => ({
      what,
      unit: 'ms',
      ours: median(milliseconds),
      baseline: { what: BASELINE, value: median(times.parse) },
    });
    const kind = 'micro-compact 200,000 tokens';
    return [
      {
        ...figure(`${kind}, with placeholders`, times.placeholders),
        target: { at_most: AT_MOST.placeholders },
      },
      figure(`${kind}, with digests`, times.digests),
      {
        ...figure('full compaction without the model', times.full),
        target: { at_most: AT_MOST.full },
      },
    ];
  });
}

async function create(client: BenchClient, id: string, config: JsonObject = {}): Promise<void> {
  await client.create(id, {
    context_window: WINDOW,
    config: { auto_compact_enabled: false, ...config },
  });
  await client.append(id, toolSession(CALLS));
}

async function micro(
  client: BenchClient,
  id: string,
  replacement: 'digest' | 'placeholder',
): Promise<number> {
  await create(client, id, { micro_compact_replacement: replacement });
  return timed(() => client.compact(id, 'micro', 'micro_compacted'));
}

const completedEvents = z.object({
  data: z.array(z.object({ data: z.object({ report: z.object({ summarizer_ms: z.number() }) }) })),
});

async function fullWithoutModel(
  { target }: LocalService,
  client: BenchClient,
  id: string,
): Promise<number> {
  const milliseconds = await timed(() => client.compact(id, 'full', 'full_compacted'));
  const { data } = completedEvents.parse(
    await jsonOf(await target.request(`/sessions/${id}/events?types=compaction.completed`)),
  );
  const [event] = data;
  if (event === undefined) throw new Error(`session ${id} has no compaction.completed`);
  return milliseconds - event.data.report.summarizer_ms;
}
