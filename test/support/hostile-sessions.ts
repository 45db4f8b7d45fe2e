import { z } from 'zod';
import type { Json, JsonObject } from '../../src/domain/json.ts';

/** A step of a hostile session. */
export type Step = { what: string; run: (url: string) => Promise<unknown> };

/** As many as one request may have. */
const ITEMS_PER_POST = 10_000;
const CALLS = 5_000;
const CHARACTERS = 10_000_000;

/** What a client can do to hold up everybody else: many items, many parallel calls, one large text. */
export function hostileSteps({ posts }: { posts: number }): Step[] {
  return [...manyItems(posts), ...parallelCalls(), ...largeText()];
}

function manyItems(posts: number): Step[] {
  const path = '/sessions/many-items';
  return [
    {
      what: `append ${posts * ITEMS_PER_POST} items`,
      run: async (url) => {
        // What is read next must not depend on when a compaction of its own ends.
        const config = { auto_compact_enabled: false };
        await call(url, 'POST', '/sessions', { id: 'many-items', format: 'anthropic', config });
        const tiny = Array.from({ length: ITEMS_PER_POST }, (_, index) => ({
          role: index % 2 === 0 ? 'user' : 'assistant',
          content: `item ${index}`,
        }));
        for (let post = 0; post < posts; post++) await call(url, 'POST', `${path}/items`, tiny);
      },
    },
    ...['anthropic', 'openai-chat', 'openai-responses'].map((format) => ({
      what: `read the context as ${format}`,
      run: (url: string) => call(url, 'GET', `${path}/context?format=${format}`),
    })),
    ...steps(path),
  ];
}

function parallelCalls(): Step[] {
  const path = '/sessions/calls';
  const ids = Array.from({ length: CALLS }, (_, index) => `toolu_${index}`);
  return [
    {
      what: `append ${CALLS} parallel calls and their results`,
      run: async (url) => {
        await call(url, 'POST', '/sessions', { id: 'calls', format: 'anthropic' });
        const use = (id: string) => ({
          type: 'tool_use',
          id,
          name: 'Read',
          input: { file_path: `src/${id}.ts` },
        });
        const result = (id: string) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: `the content of ${id} `.repeat(20),
        });
        await call(url, 'POST', `${path}/items`, [
          { role: 'user', content: 'read all of them' },
          { role: 'assistant', content: ids.map(use) },
          { role: 'user', content: ids.map(result) },
          { role: 'assistant', content: 'I have read them all.' },
          { role: 'user', content: 'go on' },
          { role: 'assistant', content: 'So I do.' },
        ]);
      },
    },
    { what: 'read their context', run: (url) => call(url, 'GET', `${path}/context`) },
    ...steps(path),
  ];
}

function largeText(): Step[] {
  const path = '/sessions/text';
  const words = Array.from({ length: 400 }, (_, index) => `palimpsest${index * 7919}`).join(' ');
  return [
    {
      what: 'append a text of 10 MB under o200k_base',
      run: async (url) => {
        const config = { token_counter: 'o200k_base' };
        await call(url, 'POST', '/sessions', { id: 'text', format: 'anthropic', config });
        const content = words.repeat(Math.ceil(CHARACTERS / words.length)).slice(0, CHARACTERS);
        await call(url, 'POST', `${path}/items`, [
          { role: 'user', content },
          { role: 'assistant', content: 'A long text.' },
          { role: 'user', content: 'go on' },
        ]);
      },
    },
    { what: 'read its context', run: (url) => call(url, 'GET', `${path}/context`) },
    ...steps(path),
  ];
}

/** What is done to every one of them. */
function steps(path: string): Step[] {
  const compact = (mode: string) => async (url: string) => {
    const options = { prefer: 'wait=60' };
    const answer = await call(url, 'POST', `${path}/compact`, { mode }, options);
    return ended.parse(answer);
  };
  return [
    {
      what: 'dry run',
      run: (url) => call(url, 'POST', `${path}/compact`, { mode: 'full', dry_run: true }),
    },
    { what: 'micro compaction', run: compact('micro') },
    { what: 'full compaction', run: compact('full') },
    {
      what: 'diff and revert',
      run: async (url) => {
        const { data } = compactions.parse(await call(url, 'GET', `${path}/compactions`));
        const full = data.find(({ outcome }) => outcome === 'full_compacted');
        if (full === undefined) return;
        await call(url, 'GET', `${path}/compactions/${full.id}`);
        await call(url, 'GET', `${path}/compactions/${full.id}/diff`);
        await call(url, 'POST', `${path}/compactions/${full.id}/revert`, {});
      },
    },
    { what: 'export', run: (url) => call(url, 'GET', `${path}/rollout`) },
    { what: 'fork', run: (url) => call(url, 'POST', `${path}/fork`, {}) },
  ];
}

const ended = z.object({ outcome: z.string() });
const compactions = z.object({
  data: z.array(z.object({ id: z.string(), outcome: z.string().nullable() })),
});

async function call(
  url: string,
  method: string,
  path: string,
  body?: Json,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const sent: RequestInit = { method, headers: { 'content-type': 'application/json', ...headers } };
  if (body !== undefined) sent.body = JSON.stringify(body);
  const answer = await fetch(`${url}${path}`, sent);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
  return answer.headers.get('content-type')?.startsWith('application/json')
    ? (JSON.parse(text) as JsonObject)
    : text;
}
