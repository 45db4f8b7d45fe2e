import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send } from '../support/api-server.ts';
import { providerProblems } from '../support/foreign/context-rules.ts';
import type { WireFormat } from '../support/foreign/request-types.ts';
import {
  afterCompaction,
  compact,
  contextOf,
  openSession,
  startForLongSessions,
} from '../support/long-sessions.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startForLongSessions();
});
afterAll(() => api.close());

const RULE = 'From now on refuse refunds above 50 EUR.';
const LATER = 'Refunds above 50 EUR need the word of a manager.';

type Says = (role: 'user' | 'assistant' | 'system' | 'developer', text: string) => Item;
const plain: Says = (role, text) => ({ role, content: text });
const parts: Says = (role, text) => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
const anthropic: Says = (role, text) => plain(role === 'developer' ? 'system' : role, text);
const FORMATS: [WireFormat, Says][] = [
  ['openai-chat', plain],
  ['openai-responses', parts],
  ['anthropic', anthropic],
];
const PROFILES = ['default', 'claude-code', 'codex-v2', 'rawr', 'tiered', 'codex-classic'];

function talk(says: Says, count: number): Item[] {
  return Array.from({ length: count }, (_, n) => [
    says('user', `Question ${n} ${'alpha beta gamma '.repeat(150)}`),
    says('assistant', `Answer ${n} ${'delta epsilon '.repeat(150)}`),
  ]).flat();
}
/** What stands before the first words of the conversation itself, as text. */
const textsOf = (items: readonly Item[]) => items.map((item) => JSON.stringify(item));

describe.each(FORMATS)('A12: instructions in the middle of a session of %s', (format, says) => {
  it.each(PROFILES)('%s: stay word for word and in their order', async (profile) => {
    const session = [
      ...(format === 'anthropic' ? [] : [says('system', 'You sell shoes.')]),
      ...talk(says, 4),
      says('user', 'Hm.'),
      says('developer', RULE),
      ...talk(says, 4).slice(1),
      says('user', 'Hm.'),
      says('developer', LATER),
      ...talk(says, 14).slice(1),
      says('user', 'Last.'),
    ];
    const id = await openSession(api, session, { format, profile });
    for (let round = 0; round < 2; round++) {
      await compact(api, id);
      const context = await contextOf(api, id);
      expect(providerProblems(format, context, { isConverted: false })).toEqual([]);
      const text = textsOf(context).join('\n');
      for (const rule of [RULE, LATER]) expect(text.split(rule)).toHaveLength(2);
      expect(text.indexOf(RULE)).toBeLessThan(text.indexOf(LATER));
      if (format !== 'anthropic') expect(text).toContain('You sell shoes.');
      await send(api, 'POST', `/sessions/${id}/items`, { body: talk(says, 14) });
    }
  });

  it('notes that clients write anew stand once, the newest of each kind', async () => {
    const session = [
      ...Array.from({ length: 8 }, (_, n) => [
        ...talk(says, 2),
        says('user', 'Hm.'),
        says('developer', `<environment_context>\n  <cwd>/r/${n}</cwd>\n</environment_context>`),
        says('assistant', 'Yes.'),
        says('user', 'Hm.'),
        says('developer', `# Environment\nYou are in /work/${n}.`),
        says('assistant', 'Yes.'),
      ]).flat(),
      ...talk(says, 12),
    ];
    const text = textsOf(await afterCompaction(api, session, { format })).join('\n');
    expect(text.match(/\/r\/\d/g)).toEqual(['/r/7']);
    expect(text.match(/\/work\/\d/g)).toEqual(['/work/7']);
  });

  it('cannot fill the window: the newest stay, the others are told in the summary', async () => {
    const session = [
      ...talk(says, 2),
      ...Array.from({ length: 40 }, (_, n) => [
        says('user', `Hm ${n}.`),
        says('developer', `Rule number ${n}: ${`clause ${n} `.repeat(400)}`),
        says('assistant', 'Yes.'),
      ]).flat(),
      ...talk(says, 8),
    ];
    const id = await openSession(api, session, { format });
    await compact(api, id);
    const { body } = await send(api, 'GET', `/sessions/${id}/context`);
    const context = textsOf(await contextOf(api, id)).join('\n');
    expect(context.match(/Rule number 39: /g)).toHaveLength(1);
    expect(context.match(/Rule number \d+: (?:clause \d+ ){300}/g)?.length).toBeLessThan(12);
    expect(context).toMatch(/Rule number 2\d: clause/);
    expect(body.tokens).toBeLessThan(40_000);
  });
});

describe('A12: what is no instruction of the operator', () => {
  it('is not kept as one: what a hook, the user or the client as such says', async () => {
    const others: [string, JsonObject][] = [
      ['PreToolUse:Bash hook additional context: mind the gap', {}],
      ['A synthetic note about the gap', { is_meta: true }],
      ['The hook minds the gap', { speaker: 'hook' }],
    ];
    for (const [text, fields] of others) {
      const session = [
        ...talk(plain, 4),
        { ...plain('system', text), ...fields },
        ...talk(plain, 16),
      ];
      const context = await afterCompaction(api, session, { format: 'openai-chat' });
      expect(context.filter(({ role }) => role === 'system')).toEqual([]);
    }
  });
});
