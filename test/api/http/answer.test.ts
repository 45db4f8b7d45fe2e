import { z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { answers, json } from '../../../src/api/http/answer.ts';
import { logItem } from '../../../src/api/items/schemas.ts';
import { pageOf } from '../../../src/api/schemas/common.ts';

const responses = {
  200: json('A page of items.', pageOf(logItem)),
  202: json('What is under way.', z.object({ id: z.string() })),
  304: { description: 'Nothing new.' },
};
const answer = answers<typeof responses>();
const item = {
  seq: 1,
  at: '2026-01-02T03:04:05.678Z',
  occurred_at: null,
  item: { role: 'user', content: 'a' },
};

describe('an answer', () => {
  it('is what its schema describes', () => {
    const body = { data: [{ ...item, tokens: 3 }], next_cursor: null };
    expect(answer.json(200, body)).toMatchObject({ kind: 'json', status: 200, body });
    expect(answer.json(202, { id: 'c' })).toMatchObject({ status: 202, body: { id: 'c' } });
    expect(answer.empty(304)).toMatchObject({ kind: 'empty', status: 304 });
  });

  it('does not compile when it is anything else', () => {
    // `npm run check` fails where one of these compiles.
    const wrong = [
      // @ts-expect-error a field has another name
      answer.json(200, { data: [{ ...item, token: 3 }], next_cursor: null }),
      // @ts-expect-error a field is missing
      answer.json(200, { data: [item], next_cursor: null }),
      // @ts-expect-error a field of the page is missing
      answer.json(200, { data: [] }),
      // @ts-expect-error a field has another type
      answer.json(200, { data: [{ ...item, tokens: '3' }], next_cursor: null }),
      // @ts-expect-error a field that the schema does not have
      answer.json(202, { id: 'c', status: 'queued' }),
      // @ts-expect-error a field in the depth that the schema does not have
      answer.json(200, { data: [1].map((n) => ({ ...item, tokens: n, n })), next_cursor: null }),
      // @ts-expect-error the body of another status
      answer.json(200, { id: 'c' }),
      // @ts-expect-error a status that is not documented
      answer.json(201, { id: 'c' }),
      // @ts-expect-error a status that has a body
      answer.empty(200),
      // @ts-expect-error a long answer without one of its fields
      answer.long(async () => ({ data: [item], next_cursor: null })),
      // @ts-expect-error a long answer with one field more
      answer.long(async () => ({ data: [], next_cursor: null, more: true })),
    ];
    expect(wrong).toHaveLength(11);
  });
});
