import { expect, it } from 'vitest';
import { ChatCallPlaces } from '../../../src/domain/gateway/answers/chat-call-places.ts';
import type { JsonObject } from '../../../src/domain/json.ts';

const named = (name: string) => ({ function: { name, arguments: '' } });
const more = { function: { arguments: '{}' } };

const CASES: [string, JsonObject[], number[]][] = [
  [
    'numbered, mixed with each other',
    [
      { index: 0, id: 'a', ...named('read') },
      { index: 1, id: 'b', ...named('read') },
      { index: 0, ...more },
      { index: 1, ...more },
    ],
    [0, 1, 0, 1],
  ],
  [
    'numbered, with the id or the name said again in each piece',
    [
      { index: 0, id: 'a', ...named('read') },
      { index: 0, id: 'a', ...named('read') },
      { index: 0, id: '', ...named('read') },
      { index: 1, id: 'b', ...named('read') },
    ],
    [0, 0, 0, 1],
  ],
  [
    'numbered before its id comes',
    [
      { index: 0, ...named('read') },
      { index: 0, id: 'a', ...more },
    ],
    [0, 0],
  ],
  [
    'without numbers',
    [{ id: 'a', ...named('read') }, more, { id: 'b', ...named('read') }, { id: 'b', ...more }],
    [0, 0, 1, 1],
  ],
  ['without numbers and ids', [named('read'), more, named('read')], [0, 0, 1]],
  [
    'all under one number',
    [
      { index: 0, id: 'a', ...named('read') },
      { index: 0, ...more },
      { index: 0, id: 'b', ...named('read') },
      { index: 0, ...more },
    ],
    [0, 0, 1, 1],
  ],
  [
    'numbered behind others that were all under one number',
    [
      { index: 0, id: 'a', ...named('read') },
      { index: 0, id: 'b', ...named('read') },
      { index: 1, id: 'c', ...named('read') },
      { index: 1, ...more },
    ],
    [0, 1, 2, 2],
  ],
];

it.each(CASES)('tells calls apart that come %s', (_, pieces, expected) => {
  const places = new ChatCallPlaces();
  expect(pieces.map((piece) => places.of(piece))).toEqual(expected);
});
