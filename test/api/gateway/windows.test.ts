import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contextWindowOf } from '../../../src/domain/policy/model-table.ts';
import { send } from '../../support/api-server.ts';
import { awayStore } from '../../support/gateway/away-store.ts';
import { GatewayLab, refOf } from '../../support/gateway/lab.ts';
import { logOf } from '../../support/gateway/sdk-task.ts';

/** Which window a session has whose requests name models with several of them. */

const LONG = { 'anthropic-beta': 'claude-code-20250219,context-1m-2025-08-07,other-2025-01-01' };
const NAME = { 'x-palimpsest-session': 'windows' };
const user = (content: string) => ({ role: 'user', content });
const HISTORY = [
  user('Read the logs.'),
  ...Array.from({ length: 10 }, (_, index) => [
    { role: 'assistant', content: `Log ${index} says: ${logOf(`${index}.log`)}` },
    user(`And the next? That was ${index}.`),
  ]).flat(),
];

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open({ contextWindowOf });
});
afterEach(() => lab.close());

type Told = { model?: string; headers?: Record<string, string>; messages?: object[] };
const turn = ({ model = 'claude-sonnet-4-5', headers = {}, messages = [user('Hello')] }: Told) =>
  lab.post('/v1/messages', { model, max_tokens: 100, messages }, { ...NAME, ...headers });

async function windowOf(session: string): Promise<number | undefined> {
  return (await lab.api.deps.store.head(refOf(session)))?.settings.context_window;
}

async function changes(session: string): Promise<number> {
  return (await lab.events(session)).filter(({ type }) => type === 'session.configured').length;
}

describe('the window of a session', () => {
  it.each([
    ['the model has', 'claude-sonnet-4-5', {}, 200_000],
    ['a newer model has', 'claude-opus-5-5', {}, 1_000_000],
    ['the beta asks for', 'claude-sonnet-4-5', LONG, 1_000_000],
    ['the name of the model asks for', 'claude-sonnet-4-5[1m]', {}, 1_000_000],
    ['the beta asks for a model that nobody knows', 'unheard-of', LONG, 1_000_000],
    ['is assumed of a model that nobody knows', 'unheard-of', {}, 200_000],
  ])('is what %s', async (_, model, headers, window) => {
    const { session } = await turn({ model, headers });
    expect(await windowOf(session)).toBe(window);
    await turn({ model, headers });
    expect(await changes(session)).toBe(0);
  });

  it.each([
    ['the beta', 'claude-sonnet-4-5', LONG],
    ['a model with a longer one', 'claude-opus-5-5', {}],
  ])(
    'grows with the first request for %s, and shrinks with no other',
    async (_, model, headers) => {
      const { session } = await turn({ model: 'claude-haiku-4-5' });
      expect(await windowOf(session)).toBe(200_000);
      for (const each of [{ model, headers }, { model: 'claude-haiku-4-5' }, { model, headers }]) {
        await turn(each);
        expect(await windowOf(session)).toBe(1_000_000);
      }
      expect(await changes(session)).toBe(1);
    },
  );

  it('is what the provider says once it has refused a longer one', async () => {
    lab.provider.window = 30_000;
    const first = await turn({ headers: LONG, messages: HISTORY });
    expect(first.status, first.text).toBe(200);
    expect(lab.provider.received).toHaveLength(2);
    expect(await windowOf(first.session)).toBe(30_000);
    for (let more = 1; more <= 3; more++) {
      const messages = [...HISTORY, { role: 'assistant', content: 'Done.' }, user(`Go on ${more}`)];
      const next = await turn({ headers: LONG, messages });
      expect(next.status, next.text).toBe(200);
      expect(await windowOf(next.session)).toBe(30_000);
    }
    expect(lab.provider.turns.filter(({ tokens }) => tokens > 30_000)).toHaveLength(1);
    expect(await changes(first.session)).toBe(1);
  });

  it('stays where a model with a shorter one was refused, and its request is shortened', async () => {
    const { session } = await turn({ headers: LONG });
    lab.provider.window = 30_000;
    const side = await turn({ messages: [user('Hello'), ...HISTORY.slice(1)] });
    expect(side.status, side.text).toBe(200);
    expect(side.headers.get('palimpsest-status')).toMatch(/^compacted; saved=\d+$/);
    expect(lab.provider.invalid).toEqual([]);
    expect([side.session, await windowOf(session)]).toEqual([session, 1_000_000]);
  });

  it('stays what somebody has set', async () => {
    const { session } = await turn({});
    const path = `/sessions/${session}`;
    await send(lab.api, 'PATCH', path, { body: { context_window: 150_000 } });
    await turn({ headers: LONG });
    expect(await windowOf(session)).toBe(150_000);
  });

  it('stays what a header has named, also where a model has the same', async () => {
    const { session } = await turn({});
    await turn({ headers: { 'x-palimpsest-context-window': '200000' } });
    await turn({ headers: LONG });
    expect(await windowOf(session)).toBe(200_000);
    const own = { 'x-palimpsest-session': 'own', 'x-palimpsest-context-window': '60000' };
    const other = await turn({ headers: { ...LONG, ...own } });
    await turn({ headers: { ...LONG, 'x-palimpsest-session': 'own' } });
    expect(await windowOf(other.session)).toBe(60_000);
  });
});

it.each([
  ['shortened for', {}, true],
  ['left for', LONG, false],
])(
  'without the store a history is %s the window that is asked for',
  async (_, headers, isShorter) => {
    await lab.close();
    lab = await GatewayLab.open({ contextWindowOf, store: awayStore() });
    const messages = Array.from({ length: 6 }, () => HISTORY).flatMap((part, index) =>
      index === 0 ? part : [{ role: 'assistant', content: `Part ${index}.` }, ...part],
    );
    const answer = await turn({ headers, messages });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('palimpsest-status')).toMatch(/^bypassed/);
    const [received] = lab.provider.received;
    expect((received?.tokens ?? 0) < 200_000).toBe(isShorter);
  },
);
