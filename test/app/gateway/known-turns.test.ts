import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compact } from '../../../src/app/compact.ts';
import { KnownHistories } from '../../../src/app/gateway/known-histories.ts';
import { KnownTurns } from '../../../src/app/gateway/known-turns.ts';
import { type PlannedTurn, planTurn } from '../../../src/app/gateway/plan-turn.ts';
import { readable, type TurnAsked } from '../../../src/app/gateway/turn-request.ts';
import type { Protocol } from '../../../src/domain/gateway/protocol.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { JsonObject } from '../../../src/domain/json.ts';
import { call, ofTokens, result } from '../../support/items.ts';
import { refOf, SyncLab } from '../../support/sync-lab.ts';

/** Turns of which only what is new is read. */

let lab: SyncLab;
let turns: KnownTurns;
/** How many turns were read as a whole. */
let wholes: number;
let deps: ConstructorParameters<typeof KnownTurns>[0] & { offered: [] };

beforeEach(async () => {
  lab = await SyncLab.open();
  const none = () => Promise.reject(new Error('this was not asked for'));
  const own = { contextWindowOf: () => null, modelRefusal: () => null, summarize: none };
  const rest = { opaque: {}, histories: new KnownHistories(), offered: [] as [] };
  deps = { ...lab.ports, ...own, ...rest } as unknown as typeof deps;
  turns = new KnownTurns(deps);
  wholes = 0;
});
afterEach(() => lab.close());

const user = (content: string): Item => ({ role: 'user', content });
const answer = (text: string): Item => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
});
/** So many messages of a conversation, the last one of the user. */
const talk = (messages: number): Item[] =>
  Array.from({ length: messages }, (_, at) =>
    at % 2 === 0 ? user(`Question ${at}`) : answer(`Answer ${at}`),
  );

type Asked = { protocol?: Protocol; session?: string; headers?: Record<string, string> };

function request(body: object | string, { protocol = 'messages', ...more }: Asked = {}): TurnAsked {
  const { session = 'talk', headers = {} } = more;
  return {
    protocol,
    tenant: 'local',
    upstream: 'u',
    owner: '',
    headers: { 'x-palimpsest-session': session, ...headers },
    fresh_id: 'fresh',
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
}

async function plan(body: object | string, asked: Asked = {}): Promise<PlannedTurn> {
  const turn = request(body, asked);
  const planned = await turns.plan(turn, () => {
    wholes += 1;
    return planTurn(deps, readable(turn));
  });
  if (!planned.ok || planned.value.kind !== 'turn') throw new Error(JSON.stringify(planned));
  return planned.value;
}

const body = (messages: object[], more: object = {}) => ({ model: 'm', messages, ...more });

/** A session of so many messages, whose next turn is read from what is new. */
async function begun(messages = 33, asked: Asked = {}): Promise<void> {
  await plan(body(talk(messages - 2)), asked);
  await plan(body(talk(messages)), asked);
  wholes = 0;
}

describe('of a body that begins like the one before only the rest is read', () => {
  it('and comes to the same as one that is read as a whole', async () => {
    await begun();
    const known = await plan(body(talk(35)));
    expect(wholes).toBe(0);
    const session_id = known.session_id;
    const items = await lab.items(session_id);
    expect(items).toEqual(talk(35));
    // Planned again as a whole, there is nothing left to do.
    const again = await planTurn(deps, readable(request(body(talk(35)))));
    expect(again).toMatchObject({ value: { ...known, outline: expect.anything() } });
    expect(await lab.items(session_id)).toEqual(items);
  });

  it('and leaves as much room, whatever stands beside its history', async () => {
    // 40,000 characters, and three times as many bytes.
    const system = '語'.repeat(40_000);
    const asked = { headers: { 'x-palimpsest-context-window': '30000' } };
    const sent = (count: number) => ({ model: 'm', system, messages: talk(count) });
    for (const count of [31, 33]) await plan(sent(count), asked);
    wholes = 0;
    const { isFull } = await plan(sent(35), asked);
    expect(wholes).toBe(0);
    expect(isFull).toBe(false);
  });

  it('turn after turn, whatever is in them and however they are written', async () => {
    const block = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => ({ type: 'text', text })),
      fc.constant({ type: 'text', text: 'ends with \\" ],[{ ' }),
    );
    const message = fc
      .tuple(fc.boolean(), fc.array(block, { minLength: 1, maxLength: 3 }))
      .map(([isAnswer, content]) => ({ role: isAnswer ? 'assistant' : 'user', content }));
    let session = 0;
    let known = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 40, maxLength: 80 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 3, maxLength: 6 }),
        fc.constantFrom(0, 2),
        async (messages, steps, indent) => {
          session += 1;
          const asked = { session: `talk ${session}` };
          let end = 20;
          for (const step of steps) {
            end = Math.min(messages.length, end + step);
            const text = JSON.stringify(body(messages.slice(0, end), { tools: [] }), null, indent);
            const before = wholes;
            const { session_id } = await plan(text, asked);
            if (wholes === before) known += 1;
            const again = await planTurn(deps, readable(request(text, asked)));
            const told = JSON.stringify(await lab.items(session_id));
            expect(again).toMatchObject({ value: { session_id } });
            expect(JSON.stringify(await lab.items(session_id))).toBe(told);
            for (const { content } of messages.slice(0, end)) {
              for (const { text: words } of content) expect(told).toContain(JSON.stringify(words));
            }
          }
        },
      ),
      { numRuns: 15 },
    );
    // Else nothing was tried.
    expect(known).toBeGreaterThan(10);
  });

  it('where cache marks move at its end, and calls run in parallel', async () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const marked = (messages: object[]) => {
      const last = JSON.stringify(messages.at(-1) ?? {}).slice(0, -1);
      const { content, ...message } = JSON.parse(`${last}}`) as { content: string | object[] };
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      const end = blocks.map((block, at) =>
        at === blocks.length - 1 ? { ...block, ...mark } : block,
      );
      return [...messages.slice(0, -1), { ...message, content: end }];
    };
    const calls = ['a', 'b'].map((id) => call(id, 'Bash', { command: 'ls' }));
    const round = [
      { role: 'assistant', content: calls.flatMap(({ content }) => content as object[]) },
      { role: 'user', content: ['a', 'b'].flatMap((id) => result(id, 'x').content as object[]) },
    ];
    await begun();
    for (const messages of [
      talk(35),
      [...talk(35), ...round],
      [...talk(35), ...round, answer('Both.'), user('Good.')],
    ]) {
      await plan(body(marked(messages)));
    }
    expect(wholes).toBe(0);
  });

  it.each(['chat', 'responses'] as const)('over %s', async (protocol) => {
    const field = protocol === 'chat' ? 'messages' : 'input';
    const items = (count: number) =>
      talk(count).map((message, at) =>
        at % 2 === 0 ? message : { role: 'assistant', content: `Answer ${at}` },
      );
    const of = (count: number) => ({ model: 'm', store: false, [field]: items(count) });
    await plan(of(31), { protocol });
    await plan(of(33), { protocol });
    wholes = 0;
    const turn = await plan(of(35), { protocol });
    expect(wholes).toBe(0);
    expect(turn.isStored).toBe(false);
    expect(await lab.items(turn.session_id)).toHaveLength(35);
  });
});

describe('a body is read as a whole', () => {
  const more: JsonObject[] = [
    { thread: { previous_message_id: 'msg_1' } },
    { conversation: 'conv_1' },
    { messages: [] },
  ];
  const edited = talk(35).with(2, user('Something else'));
  const summary = talk(35).with(
    34,
    user('Your task is to create a detailed summary of the conversation so far'),
  );

  it.each([
    ['whose beginning has changed', body(edited)],
    ['that is shorter than the one before', body(talk(31))],
    ['whose model has changed in front of the history', { ...body(talk(35)), model: 'other' }],
    ['that asks for a summary', body(summary)],
    ...more.map((fields): [string, object] => [
      `with ${JSON.stringify(fields)}`,
      body(talk(35), fields),
    ]),
    ['that is cut off', JSON.stringify(body(talk(35))).slice(0, -3)],
    [
      'that has a field of its beginning once more behind its history',
      JSON.stringify(body(talk(35))).replace(/\}$/, ',"mod\\u0065l":"other"}'),
    ],
    [
      'whose news are no JSON',
      JSON.stringify(body(talk(35))).replace(
        '{"role":"user","content":"Question 32"',
        '"role":"user"',
      ),
    ],
    [
      'with a mark of the order of bytes within',
      JSON.stringify(body(talk(35))).replace(/(?<=Question 30"\}.*?\}),/, '\ufeff,'),
    ],
    ['that has a field twice', JSON.stringify(body(talk(35))).replace(/\}$/, ',"messages":[]}')],
    ['that brings much', body([...talk(35), answer('x'), user('x'.repeat(200_000))])],
  ])('%s', async (_, sent) => {
    await begun();
    await plan(sent).catch(() => {});
    expect(wholes).toBe(1);
  });

  it('whose session was compacted meanwhile', async () => {
    const long = (count: number) =>
      talk(count).map((item, at) => ({ ...item, content: `${at} ${ofTokens(2_000)}` }));
    await plan(body(long(31)));
    await plan(body(long(33)));
    const { session_id } = await plan(body(long(35)));
    expect(wholes).toBe(2);
    const asking = { mode: 'full', trigger: 'manual' } as const;
    const waiting = { wait_seconds: 0, idempotency: null };
    const { signal } = new AbortController();
    expect((await compact(lab.ports, refOf(session_id), asking, waiting, signal)).ok).toBe(true);
    await lab.work();
    const turn = await plan(body(long(37)));
    expect(wholes).toBe(3);
    expect(turn.is_replaced).toBe(true);
  });

  it('whose session has heard something else meanwhile', async () => {
    await begun();
    const { session_id } = await plan(body(talk(35)));
    await lab.sync(session_id, [...talk(35), answer('Elsewhere.'), user('Go on there.')]);
    await plan(body([...talk(35), answer('Here.'), user('Go on here.')]));
    expect(wholes).toBe(1);
    expect(await lab.items(session_id)).toHaveLength(37);
  });

  it('whose fields are too long to be kept', async () => {
    const model = 'm'.repeat(1_000);
    for (const count of [31, 33, 35]) await plan({ model, messages: talk(count) });
    expect(wholes).toBe(3);
  });

  it('that has a name of its own', async () => {
    await begun();
    await plan(body(talk(35)), { session: 'other' });
    expect(wholes).toBe(1);
  });
});
