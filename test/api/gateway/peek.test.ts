import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Passing } from '../../../src/api/gateway/pass-on.ts';
import { begun } from '../../../src/api/gateway/peek.ts';

const event = (data: object, end = '\n\n') => `event: x\ndata: ${JSON.stringify(data)}${end}`;
const FAILED = {
  type: 'response.failed',
  response: { error: { code: 'context_length_exceeded' } },
};
const CREATED = { type: 'response.created', response: { status: 'in_progress', error: null } };

const PACKED = [
  ['identity', (text: string) => Buffer.from(text)],
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
] as const;

/** Longer than a busy machine takes for an answer that is there, in milliseconds. */
const PATIENT = 100_000;

/** In pieces of so many bytes; `isOpen`: it never ends. */
function answer(bytes: Buffer, size: number, isOpen = false): Passing {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    if (isOpen) await new Promise(() => {});
  }
  return { [Symbol.asyncIterator]: pieces, destroy: () => {} };
}

async function bytesOf(body: Passing): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe.each(PACKED)('the beginning of an answer, %s', (coding, pack) => {
  it.each([
    ['nothing', '', false],
    ['what only announces an answer', event(CREATED) + event({ type: 'ping' }), false],
    ['half of a failure', event(CREATED) + event(FAILED).slice(0, -9), false],
    ['a failure', event(CREATED) + event(FAILED), true],
    ['a failure behind a mark of the order of bytes', `\ufeff${event(FAILED)}`, true],
    ['a failure without its last line', event(FAILED, ''), true],
    ['a failure behind comments', ': wait\n\n'.repeat(100) + event(FAILED), true],
    ['other line ends', event(FAILED, '\r\n\r\n'), true],
    ['an answer', event({ type: 'response.output_text.delta' }) + event(FAILED), false],
    ['what is no JSON', `data: [DONE]\n\n${event(FAILED)}`, false],
  ])('is read however it is cut, and handed on whole: %s', async (_, text, isRefusal) => {
    const bytes = pack(text);
    for (const size of [1, 7, 10_000]) {
      const { body, refusal } = await begun(
        answer(bytes, size),
        { isStream: true, coding },
        PATIENT,
      );
      expect(refusal !== null).toBe(isRefusal);
      expect((await bytesOf(body)).equals(bytes)).toBe(true);
    }
  });

  it('is read of a body', async () => {
    const bytes = pack('{"status":"failed","error":{"code":"context_length_exceeded"}}');
    const { body, refusal } = await begun(answer(bytes, 5), { isStream: false, coding }, PATIENT);
    expect(refusal).toContain('context_length_exceeded');
    expect((await bytesOf(body)).equals(bytes)).toBe(true);
  });

  it('is not waited for to come to an end', async () => {
    const bytes = pack(event(CREATED) + event(FAILED));
    const { refusal } = await begun(answer(bytes, 50, true), { isStream: true, coding }, PATIENT);
    expect(refusal).toContain('context_length_exceeded');
  });
});

it.each([
  ['comments that do not end', Buffer.alloc(70_000, ':'), null],
  ['comments of one sign', Buffer.from(':\n'.repeat(35_000)), null],
  ['what unpacks to many times as much', gzipSync(Buffer.alloc(50_000_000, ':')), 'gzip'],
])('%s in pieces of a byte hold up nobody', async (_, bytes, coding) => {
  const started = process.cpuUsage();
  const { body, refusal } = await begun(answer(bytes, 1), { isStream: true, coding });
  const { user, system } = process.cpuUsage(started);
  expect(refusal).toBeNull();
  expect((await bytesOf(body)).equals(bytes)).toBe(true);
  expect((user + system) / 1_000).toBeLessThan(3_000);
});

it('what comes slowly is not kept back for long, and is whole all the same', async () => {
  const pieces = [event(CREATED).slice(0, 9), event(CREATED).slice(9)].map((text) =>
    Buffer.from(text),
  );
  let send = () => {};
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  async function* slowly() {
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await sent;
      yield piece;
    }
  }
  const slow: Passing = { [Symbol.asyncIterator]: slowly, destroy: () => {} };
  const { body, refusal } = await begun(slow, { isStream: true, coding: null });
  expect(refusal).toBeNull();
  send();
  expect((await bytesOf(body)).equals(Buffer.concat(pieces))).toBe(true);
});
