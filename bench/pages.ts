import { z } from 'zod';
import { Indexer } from '../src/app/search/indexer.ts';
import { jsonOf, type Target } from '../src/cli/target.ts';
import type { Item } from '../src/domain/items/item.ts';
import { BenchClient } from './client.ts';
import type { Figure } from './figures.ts';
import { withLocalService } from './local-service.ts';
import { dialogue, toolSession } from './sample-items.ts';
import { median } from './statistics.ts';

type Plan = {
  /** Items of the log, and how many of them stand in the context. */
  log: number;
  context: number;
  repeats: number;
};

const ID = 'pages';
const MOST_MS = 300;
const MOST_BYTES = 1_000_000;
/** The largest that a model of src/domain/policy/model-table.ts has. */
const WINDOW = 1_048_576;
const CHARACTERS = 100;

/**
 * What each page of a long session takes of the processor, all threads together, and how large it is:
 * nothing else of the machine counts.
 */
export async function pagesOfLongSession({ log, context, repeats }: Plan): Promise<Figure[]> {
  const options = { summarizer: 'extractive', synchronous: 'NORMAL' } as const;
  return withLocalService(options, async ({ target, store }) => {
    const client = new BenchClient(target);
    await client.create(ID, {
      context_window: WINDOW,
      config: { auto_compact_enabled: false },
    });
    for (let left = log - context; left > 0; left -= context) {
      await client.append(ID, longSession(Math.min(left, context)));
      await client.compact(ID, 'full', 'full_compacted');
    }
    await client.append(ID, longSession(context));
    await client.compact(ID, 'full', 'proposed');
    const ref = { tenant: 'local', session_id: ID };
    await new Indexer(store, () => {}).catchUp(ref, Number.POSITIVE_INFINITY);
    const figures: Figure[] = [];
    for (const [what, path] of await pagesOf(target, log)) {
      const times: number[] = [];
      let bytes = 0;
      for (let repeat = 0; repeat <= repeats; repeat++) {
        const started = process.cpuUsage();
        const answer = await target.request(path, { headers: { accept: 'text/html' } });
        bytes = (await answer.arrayBuffer()).byteLength;
        if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
        const { user, system } = process.cpuUsage(started);
        // The first one warms up.
        if (repeat > 0) times.push((user + system) / 1_000);
      }
      figures.push(
        figure(`${what}, ${context} items in the context`, 'ms', median(times), MOST_MS),
        figure(`${what}, its size`, 'bytes', bytes, MOST_BYTES),
      );
    }
    return figures;
  });
}

function figure(what: string, unit: string, ours: number, most: number): Figure {
  const baseline = { what: 'what it may take', value: most };
  return { what, unit, ours, baseline, target: { at_most: 1 } };
}

/** Results of tools among short messages. */
function longSession(items: number): Item[] {
  const calls = toolSession(items / 20);
  return [...calls, ...dialogue(items - calls.length, CHARACTERS)];
}

async function pagesOf(target: Target, log: number): Promise<[what: string, path: string][]> {
  const answer = await jsonOf(await target.request(`/sessions/${ID}/compactions`));
  const { data } = z
    .object({ data: z.array(z.object({ id: z.string(), outcome: z.string() })) })
    .parse(answer);
  const session = `/inspect/sessions/${ID}`;
  // The newest of each outcome, which stand first.
  const newest = new Map(data.toReversed().map((one) => [one.outcome, one]));
  const compactions = [...newest.values()].flatMap(({ id, outcome }): [string, string][] => [
    [`page of a compaction that is ${outcome}`, `${session}/compactions/${id}`],
    [`page of what such a one took away`, `${session}/compactions/${id}/covered`],
  ]);
  return [
    ['page of all sessions', '/'],
    ['page of a timeline', session],
    ['page of the context', `${session}/context`],
    ['page of the context of a version before', `${session}/context?at=${log - 10}`],
    ['page of the log', `${session}/log`],
    ['page of an item', `${session}/items/${Math.floor(log / 2)}`],
    ['page of a search', `${session}/search?q=module-77`],
    ['page of a dry run', `${session}/dry-run`],
    ['page of a dry run that summarises', `${session}/dry-run?mode=full`],
    ...compactions,
  ];
}
