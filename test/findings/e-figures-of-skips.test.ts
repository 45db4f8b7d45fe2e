import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, ofTokens, tool, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

type Case = {
  reason: string;
  session: JsonObject;
  items: Json[];
  request: JsonObject;
  detail: RegExp;
};

const talk = [user('Find the flag.'), assistant('I have found it.')];
const calls = [1, 2, 3, 4, 5].flatMap((n) => [
  ...tool(`t${n}`, 'Bash', 300),
  assistant(`Looked at ${n}.`),
]);

/** Each with the figures that it rests on: a reader sees how far off it was, and which field to change. */
const CASES: Record<string, Case> = {
  'tool results within the target': {
    reason: 'not_effective',
    session: {},
    items: [...talk, ...calls],
    request: { mode: 'micro' },
    detail:
      /^the context holds \d{4} tokens, and its tool results \d{4}: clearing starts above 40000 \(micro_compact_target_tokens\)$/,
  },
  'clearing that saves too little': {
    reason: 'not_effective',
    session: { config: { micro_compact_target_tokens: 0 } },
    items: [...talk, ...calls],
    request: { mode: 'micro' },
    detail:
      /^the context holds \d{3,} tokens, and clearing 2 old tool results would save \d{3}, less than the minimum of 20000 \(micro_compact_min_tokens_to_save\)$/,
  },
  'nothing that may be cleared': {
    reason: 'not_effective',
    session: {},
    items: talk,
    request: { mode: 'micro' },
    detail: /^the context holds \d+ tokens, and none in old tool results that may be cleared$/,
  },
  'clearing that is switched off': {
    reason: 'not_effective',
    session: { profile: 'rawr' },
    items: [...talk, ...calls],
    request: { mode: 'micro' },
    detail: /^the context holds \d{4} tokens, and clearing is switched off/,
  },
  'an empty session': {
    reason: 'nothing_to_compact',
    session: {},
    items: [],
    request: { mode: 'full' },
    detail: /^there are no items to summarise yet$/,
  },
  'a conversation that is an open call': {
    reason: 'nothing_to_compact',
    session: {},
    items: tool('open', 'Bash', 10).slice(0, 1),
    request: { mode: 'full' },
    detail: /^the context holds [1-9]\d* tokens, .*open tool call$/,
  },
  'an initial context beyond the threshold': {
    reason: 'irreducible_floor',
    session: { context_window: 16_000, initial_context: [user(ofTokens(15_000))] },
    items: talk,
    request: { mode: 'full' },
    detail: /alone take (19|20)\d{3} tokens, and the threshold is \d{5}: make them shorter/,
  },
  // A control: this one has always said its figures.
  'a tool that asks too early': {
    reason: 'too_few_tokens',
    session: { profile: 'tiered' },
    items: talk,
    request: { mode: 'auto', trigger: 'tool' },
    detail: /^no compaction needed: \d+ tokens came since the last one.* 10000/,
  },
};

describe('E: a skipped compaction says its figures', () => {
  it.each(Object.entries(CASES))(
    '%s',
    async (name, { reason, session, items, request, detail }) => {
      const id = name.replaceAll(' ', '-');
      expect((await send(api, 'POST', '/sessions', { body: { id, ...session } })).status).toBe(201);
      if (items.length > 0) {
        const appended = await send(api, 'POST', `/sessions/${id}/items`, { body: items });
        expect(appended.status).toBe(201);
      }
      const body = { ...request, dry_run: true };
      const reply = await send(api, 'POST', `/sessions/${id}/compact`, { body });
      expect(reply.body.skip).toMatchObject({ reason, detail: expect.stringMatching(detail) });
    },
  );

  it('the end of a turn without a natural boundary', async () => {
    await send(api, 'POST', '/sessions', { body: { id: 'turn', profile: 'rawr' } });
    const body = [user('Go.'), assistant(ofTokens(40_000))];
    await send(api, 'POST', '/sessions/turn/items', { body });
    await send(api, 'POST', '/sessions/turn/signals', { body: { signal: 'turn_complete' } });
    const list = await send(api, 'GET', '/sessions/turn/compactions');
    const [{ id }] = list.body.data as [{ id: string }];
    const found = await send(api, 'GET', `/sessions/turn/compactions/${id}`);
    expect(found.body.skip).toMatchObject({
      reason: 'no_natural_boundary',
      detail: expect.stringMatching(
        /^no natural boundary: \d\d % of the window is left, tier ready$/,
      ),
    });
  });
});
