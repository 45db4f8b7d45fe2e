import { afterEach, expect, test, vi } from 'vitest';
import { joinedBody, splicedStream } from '../../../src/api/gateway/recalled.ts';
import { RecallRounds } from '../../../src/app/gateway/recall-rounds.ts';
import { recallProtocol } from '../../../src/domain/gateway/recall/protocols.ts';
import { refusalInBody, refusalInEvent } from '../../../src/domain/gateway/too-long.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const BRACKETS = `{"content":${'['.repeat(1_000_000)}`;

function splicing() {
  const rounds = new RecallRounds(
    {
      offered: [],
      lookUp: async () => ({ text: '', is_error: false }),
      log: { error: () => {} },
    },
    {
      ref: { tenant: 'local', session_id: 'chat' },
      protocol: 'messages',
      own: recallProtocol('messages'),
      isOwn: () => false,
      text: '{"messages":[]}',
      window: 200_000,
      most: 3,
      isStored: false,
    },
  );
  return { rounds, again: async () => null };
}

test.each([
  ['a body', async () => joinedBody(Buffer.from(BRACKETS), null, splicing())],
  ['the beginning of a body', async () => refusalInBody(BRACKETS)],
  ['an event', async () => refusalInEvent(BRACKETS)],
])('a million brackets are not parsed in %s', async (_, read) => {
  const parse = vi.spyOn(JSON, 'parse');
  await read();
  expect(parse.mock.calls.filter(([text]) => text.length >= BRACKETS.length)).toEqual([]);
});

test('of a stream with more events than a model writes nothing is kept, and all goes on', {
  timeout: 60_000,
}, async () => {
  const start = 'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1"}}\n\n';
  const pings = Buffer.from('data: {"type":"ping"}\n\n'.repeat(10_000));
  async function* answer() {
    yield Buffer.from(start);
    for (let time = 0; time < 45; time++) yield pings;
  }
  const upstream = { [Symbol.asyncIterator]: answer, destroy: () => {} };
  const { body, answer: recorded } = splicedStream(upstream, null, splicing());
  let size = 0;
  for await (const piece of body) size += piece.byteLength;
  expect(size).toBe(start.length + 45 * pings.byteLength);
  expect(await recorded(true)).toMatchObject({ id: null, items: [], isWhole: false });
});

test.each([
  ['an error in one body', '{"error":{"message":"overloaded","code":529}}'],
  ['the same on several lines', '{\n  "error": {"message": "overloaded"}\n}'],
])('of a stream that is none the client gets what came: %s', async (_, text) => {
  async function* answer() {
    yield Buffer.from(text.slice(0, 9));
    yield Buffer.from(text.slice(9));
  }
  const upstream = { [Symbol.asyncIterator]: answer, destroy: () => {} };
  const { body, answer: recorded } = splicedStream(upstream, null, splicing());
  let sent = '';
  for await (const piece of body) sent += piece.toString();
  expect(JSON.parse(sent)).toEqual(JSON.parse(text));
  expect(await recorded(true)).toMatchObject({ items: [], isWhole: false });
});

test('what an event is named by for a client that comes again goes on', async () => {
  async function* answer() {
    yield Buffer.from('retry: 3000\n\nid: 7\ndata: {"type":"ping"}\n\n');
  }
  const upstream = { [Symbol.asyncIterator]: answer, destroy: () => {} };
  let sent = '';
  for await (const piece of splicedStream(upstream, null, splicing()).body)
    sent += piece.toString();
  expect(sent.split('\n').filter((line) => line !== '')).toEqual([
    'retry: 3000',
    'id: 7',
    'data: {"type":"ping"}',
  ]);
});
