import { z } from 'zod';
import { jsonOf, type Target } from '../../src/cli/target.ts';
import { codecFor, type Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import { type Conversation, conversationOf, textOf } from './conversation.ts';
import type { Search } from './measures/by-search.ts';
import { tokensOf } from './tokens.ts';

/** What a model would be given after a compaction. */
export type Context = { conversation: Conversation; tokens: number; outcome: string };

/** So large that nothing is compacted unless it is asked for, and no summariser's input is cut. */
const WINDOW = 20_000_000;
const ITEMS_PER_APPEND = 200;
/** Characters of JSON: an append stays well below the limit of the API. */
const CHARACTERS_PER_APPEND = 4_000_000;

/** Nothing but the summary competes for the budget: no verbatim tail, no restored files or plans. */
export const SUMMARY_ONLY: ConfigOverrides = {
  protected_tokens: 0,
  protected_messages: 0,
  restore_max_files: 0,
  restore_todos: false,
  restore_plan: false,
};
/** What the default profile keeps besides in a window of 200,000 tokens. */
export const AS_CONFIGURED: ConfigOverrides = { protected_tokens: 20_000 };

const item = z.custom<Item>((value) => typeof value === 'object' && value !== null);
const hitsSchema = z.object({ data: z.array(z.object({ seq: z.int() })) });
const itemsSchema = z.object({ data: z.array(z.object({ seq: z.int(), item })) });
const LONGEST_QUERY = 500;
const contextSchema = z.object({ items: z.array(item) });
const compactionSchema = z.object({
  id: z.string(),
  outcome: z.string().nullable(),
  status: z.string(),
});

/** A session of the service that grows and is compacted as it is told. */
export type Driven = {
  append: (items: readonly Item[]) => Promise<void>;
  compact: (mode: 'full' | 'micro', config?: ConfigOverrides) => Promise<Context>;
  search: Search;
};

/** Creates a session with summaries from the log and no compaction of its own accord. */
export async function drive(
  target: Target,
  id: string,
  format: Format,
  config: ConfigOverrides,
): Promise<Driven> {
  const path = `/sessions/${encodeURIComponent(id)}`;
  const send = async (method: string, to: string, body: unknown): Promise<unknown> =>
    jsonOf(
      await target.request(to, {
        method,
        headers: { 'content-type': 'application/json', prefer: 'wait=60' },
        body: JSON.stringify(body),
      }),
    );
  const base = { auto_compact_enabled: false, manual_commands: false, breaker_max_failures: 100 };
  await send('POST', '/sessions', {
    id,
    format,
    profile: 'default',
    context_window: WINDOW,
    config: { ...base, ...config },
  });
  return {
    append: async (items) => {
      for (const batch of batches(items)) await send('POST', `${path}/items`, batch);
    },
    search: async (q) => {
      const query = new URLSearchParams({ q: q.slice(0, LONGEST_QUERY), limit: '5' });
      const answer = await jsonOf(await target.request(`${path}/search?${query}`));
      const codec = codecFor(format);
      const texts: string[] = [];
      for (const { seq } of hitsSchema.parse(answer).data) {
        const page = await jsonOf(await target.request(`${path}/items?after=${seq - 1}&limit=1`));
        const items = itemsSchema.parse(page).data.filter((one) => one.seq === seq);
        texts.push(textOf(conversationOf(items.map(({ item }) => codec.normalise(item)))));
      }
      return texts;
    },
    compact: async (mode, changed) => {
      if (changed !== undefined) await send('PATCH', path, { config: changed });
      let ended = compactionSchema.parse(await send('POST', `${path}/compact`, { mode }));
      while (ended.status !== 'ended') {
        await (await target.request(`${path}/context?wait=compaction`)).arrayBuffer();
        const at = `${path}/compactions/${ended.id}`;
        ended = compactionSchema.parse(await jsonOf(await target.request(at)));
      }
      const { items } = contextSchema.parse(await jsonOf(await target.request(`${path}/context`)));
      const codec = codecFor(format);
      return {
        conversation: conversationOf(items.map((one) => codec.normalise(one))),
        tokens: items.reduce((sum, one) => sum + tokensOf(format, one), 0),
        outcome: ended.outcome ?? ended.status,
      };
    },
  };
}

function* batches(items: readonly Item[]): Generator<Item[]> {
  let batch: Item[] = [];
  let characters = 0;
  for (const one of items) {
    batch.push(one);
    characters += JSON.stringify(one).length;
    if (batch.length < ITEMS_PER_APPEND && characters < CHARACTERS_PER_APPEND) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
