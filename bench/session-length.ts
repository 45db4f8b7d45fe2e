import { importTranscript } from '../src/cli/import-transcript.ts';
import { BenchClient } from './client.ts';
import type { Figure } from './figures.ts';
import type { LocalService } from './local-service.ts';
import { appendedItem, dialogue } from './sample-items.ts';
import { median, timed } from './statistics.ts';

/** Small enough that a long history is compacted hundreds of times on its way. */
const WINDOW = 20_000;
const TAIL_ITEMS = 40;
const LONGER_MAY_COST = 1.1;

/** The name under which the session of a length is found afterwards. */
export function sessionOfLength(length: number): string {
  return `length-${length}`;
}

/**
 * Whether append and read stay flat: sessions of different lengths, each with a full compaction near
 * its end and the same items after it. Times in milliseconds, as ratios to the shortest.
 */
export async function sessionLength(
  { target }: Pick<LocalService, 'target'>,
  lengths: readonly number[],
  repeats: number,
  where = '',
): Promise<Figure[]> {
  const client = new BenchClient(target);
  for (const length of lengths) await build(target, client, length);
  const reads = await measure(lengths, repeats, (id) => client.contextTokens(id));
  let index = 0;
  const appends = await measure(lengths, repeats, (id) =>
    client.append(id, [appendedItem(index++)]),
  );
  return [...figures(`append${where}`, appends), ...figures(`read the context${where}`, reads)];
}

async function build(target: LocalService['target'], client: BenchClient, length: number) {
  const id = sessionOfLength(length);
  await importTranscript(
    target,
    {
      name: id,
      source: 'bench',
      format: 'anthropic',
      model: null,
      items: dialogue(length - TAIL_ITEMS),
      skipped: {},
    },
    { idPrefix: '', contextWindow: WINDOW },
    () => {},
  );
  await client.compact(id, 'full', 'full_compacted');
  await client.append(id, dialogue(TAIL_ITEMS));
  // From here on nothing but the measured work may happen.
  await target.request(`/sessions/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ config: { auto_compact_enabled: false } }),
  });
}

type Times = { length: number; milliseconds: number }[];

/** Medians; the lengths take turns. */
async function measure(
  lengths: readonly number[],
  repeats: number,
  work: (id: string) => Promise<unknown>,
): Promise<Times> {
  const samples = new Map(lengths.map((length) => [length, [] as number[]]));
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const [length, times] of samples) {
      times.push(await timed(() => work(sessionOfLength(length))));
    }
  }
  return [...samples].map(([length, times]) => ({ length, milliseconds: median(times) }));
}

function figures(what: string, times: Times): Figure[] {
  const [shortest, ...longer] = times;
  if (shortest === undefined) throw new Error('no lengths were measured');
  return longer.map(({ length, milliseconds }) => ({
    what: `${what}, after ${length.toLocaleString('en')} items`,
    unit: 'ms',
    ours: milliseconds,
    baseline: { what: `after ${shortest.length} items`, value: shortest.milliseconds },
    target: { at_most: LONGER_MAY_COST },
  }));
}
