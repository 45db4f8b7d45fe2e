import { z } from 'zod';
import { dialogue } from './sample-items.ts';
import { median, quantile } from './statistics.ts';

/*
 * Sends turns of conversations that grow, one conversation for each connection, each turn with the whole
 * history and after the answer to the one before, as clients do. A process of its own. Job as JSON in the
 * first argument; prints what the turns took, in milliseconds, and what reading such a body takes.
 */

const job = z
  .object({
    url: z.url(),
    session: z.string(),
    connections: z.int().min(1),
    items: z.int().min(2),
    turns: z.int().min(1),
  })
  .parse(JSON.parse(process.argv[2] ?? '{}'));

/** Of an item, so that 2,000 of them have 2 MB. */
const CHARACTERS = 950;
const DONE = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] };

const first: number[] = [];
const total: number[] = [];
const parsed: number[] = [];

type Talk = { session: string; messages: object[] };

/** Takes one turn; answers its body, and when it began, was answered and ended. */
async function turn({ session, messages }: Talk) {
  const body = JSON.stringify({ model: 'scripted', max_tokens: 100, stream: true, messages });
  const started = performance.now();
  const answer = await fetch(`${job.url}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-palimpsest-session': session,
      // Nothing is to be compacted.
      'x-palimpsest-context-window': '10000000',
    },
    body,
  });
  const reader = answer.body?.getReader();
  await reader?.read();
  const begun = performance.now();
  while ((await reader?.read())?.done === false);
  const ended = performance.now();
  const status = answer.headers.get('palimpsest-status') ?? 'forwarded';
  if (answer.status !== 200 || status !== 'forwarded') {
    throw new Error(`a turn was answered with ${answer.status}, ${status}`);
  }
  messages.push(DONE, { role: 'user', content: `And after ${messages.length} messages?` });
  return { body, started, begun, ended };
}

async function measured(talk: Talk): Promise<void> {
  for (let count = 0; count < job.turns; count++) {
    const { body, started, begun, ended } = await turn(talk);
    first.push(begun - started);
    total.push(ended - started);
    if (talk === talks[0]) {
      const before = performance.now();
      JSON.parse(body);
      parsed.push(performance.now() - before);
    }
  }
}

const talks = Array.from({ length: job.connections }, (_, index): Talk => {
  const messages: object[] = dialogue(job.items, CHARACTERS).slice(0, -1);
  return { session: `${job.session}-${index}`, messages };
});
// The first turn tells all of it; what comes after goes on from what is known.
for (const talk of talks) await turn(talk);
await Promise.all(talks.map(measured));
console.log(
  JSON.stringify({
    first: { p50: median(first), p99: quantile(first, 0.99) },
    total: { p50: median(total), p99: quantile(total, 0.99) },
    parse: median(parsed),
  }),
);
