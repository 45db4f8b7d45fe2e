import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codecFor } from '../../src/domain/items/codecs.ts';
import { MISSING_RESULT_NOTE } from '../../src/domain/items/pairing.ts';
import type { Json } from '../../src/domain/json.ts';
import { jsonLines, readOne } from '../importers/fixtures.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, call, result, user } from '../support/items.ts';

let api: ApiServer;
let sessions = 0;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const newSession = () => `/sessions/notes-${++sessions}/items`;

async function note(path: string, ...items: object[]): Promise<Json | undefined> {
  const reply = await send(api, 'POST', path, { body: { items } });
  expect(reply.status).toBe(201);
  return reply.body.note;
}

describe('A1: the answer to an append says what is unpaired, put in order or left out', () => {
  it('says nothing of calls and results that follow each other, in one append or in several', async () => {
    const path = newSession();
    expect(await note(path, user('Go.'), call('tu1', 'Bash'), call('tu2', 'Bash'))).toBeNull();
    expect(await note(path, result('tu2', 'two'))).toBeNull();
    expect(await note(path, result('tu1', 'one'), assistant('Done.'), user('Next.'))).toBeNull();
  });

  it('names a result whose call is not known, and what becomes of it', async () => {
    const path = newSession();
    expect(await note(path, user('Go.'), result('tuX', 'real'))).toBe(
      'result answers no open tool call and will not appear in the context unless a call with its ' +
        'id is appended: tuX (item 3)',
    );
    expect(await note(path, call('tuX', 'Bash'), user('Next.'))).toBeNull();
    const { body } = await send(api, 'GET', path.replace('/items', '/context'));
    expect(JSON.stringify(body.items)).toContain('real');
  });

  it('names a second result of a call', async () => {
    const path = newSession();
    const items = [user('Go.'), call('tu1', 'Bash'), result('tu1', 'one'), result('tu1', 'again')];
    expect(await note(path, ...items)).toContain('tu1 (item 5)');
  });

  it('names results that stand before their calls', async () => {
    const items = [
      user('Go.'),
      result('a', '1'),
      result('b', '2'),
      call('a', 'Bash'),
      call('b', 'Bash'),
    ];
    expect(await note(newSession(), ...items, user('Next.'))).toBe(
      '2 results came before the tool call, and the context shows it after the call: a (item 3), b (item 4)',
    );
  });

  it.each([
    ['an empty string', user('')],
    ['no blocks', user([])],
    ['an empty text', user([{ type: 'text', text: '' }])],
    ['an empty attachment', { type: 'attachment', attachment: { kind: 'memory', content: '' } }],
  ])('names an item that is %s', async (_, item) => {
    expect(await note(newSession(), user('Go.'), item)).toBe(
      'item 3 is empty and will not appear in the context',
    );
  });

  it('is bounded whatever is sent', async () => {
    const results = Array.from({ length: 100 }, (_, n) => result(`${n}-${'x'.repeat(500)}`, ''));
    expect(String(await note(newSession(), ...results)).length).toBeLessThan(1_000);
  });
});

/** A line of a Claude Code transcript. */
function line(uuid: string, parentUuid: string | null, type: string, message: object) {
  const common = { sessionId: 's', isSidechain: false, timestamp: '2026-01-02T03:04:05.000Z' };
  return { uuid, parentUuid, type, message, ...common };
}

const said = (uuid: string, parent: string | null, content: string) =>
  line(uuid, parent, 'user', { role: 'user', content });
const piece = (uuid: string, parent: string, id: string, block: object) =>
  line(uuid, parent, 'assistant', { role: 'assistant', id, model: 'claude-x', content: [block] });
const use = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: 'a.ts' } });
const answer = (uuid: string, parent: string, id: string, text: string) =>
  line(uuid, parent, 'user', {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: text }],
  });

describe('A1: a Claude Code transcript is imported in the order of its chain', () => {
  const lines = [
    said('u1', null, 'Read both.'),
    piece('t1', 'u1', 'msg_1', { type: 'thinking', thinking: 'Hm.', signature: 's' }),
    // The results, and what the model said to them, came to the file before the calls.
    answer('r2', 'c2', 'tu2', 'RESULT TWO'),
    answer('r1', 'c1', 'tu1', 'RESULT ONE'),
    piece('a1', 'r2', 'msg_2', { type: 'text', text: 'I have read both.' }),
    piece('c1', 't1', 'msg_1', use('tu1')),
    piece('c2', 'c1', 'msg_1', use('tu2')),
  ];

  it('with each result after its call, and a word about it', () => {
    const { items, notes, skipped } = readOne('race.jsonl', jsonLines(lines));
    expect(skipped).toEqual({});
    expect(notes).toEqual([
      'Tool results that came before their calls in the file and were put after them: 2.',
    ]);
    const { items: ordered } = readOne(
      'ordered.jsonl',
      jsonLines(
        ['u1', 't1', 'c1', 'c2', 'r2', 'r1', 'a1'].map((id) => lines.find((l) => l.uuid === id)),
      ),
    );
    const codec = codecFor('anthropic');
    expect(codec.render(items)).toEqual(codec.render(ordered));
    expect(JSON.stringify(codec.render(items))).not.toContain(MISSING_RESULT_NOTE);
  });

  it('keeps a file in its order that is in order, and ends where the chain is a circle', () => {
    const inOrder = [
      said('u1', null, 'One.'),
      said('u2', 'u1', 'Two.'),
      said('u3', 'u2', 'Three.'),
    ];
    const { items } = readOne('plain.jsonl', jsonLines(inOrder));
    expect(items.map(({ content }) => content)).toEqual(['One.', 'Two.', 'Three.']);
    const circle = [said('u1', 'u2', 'One.'), said('u2', 'u1', 'Two.')];
    expect(readOne('circle.jsonl', jsonLines(circle)).items).toHaveLength(2);
  });

  it('says which results answer no call, and which calls have no result', () => {
    const { notes } = readOne(
      'unpaired.jsonl',
      jsonLines([
        said('u1', null, 'Go.'),
        piece('c1', 'u1', 'msg_1', use('tu1')),
        answer('r9', 'c1', 'tu9', 'orphan'),
        said('u2', 'r9', 'Next.'),
      ]),
    );
    expect(notes).toEqual([
      'Tool results that answer no call, or answer one again: contexts leave them out: 1 (tu9).',
      'Tool calls without a result: 1 (tu1).',
    ]);
  });
});
