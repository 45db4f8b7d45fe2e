import { expect, test } from 'vitest';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { tokenCourse } from '../../../src/domain/session/token-course.ts';
import { user } from '../../support/items.ts';

const item = (tokens: number): NewEvent => ({
  type: 'item.appended',
  data: { item: user('x'), tokens },
});

/** As they stand in a log from version 2 on. */
function logged(events: readonly NewEvent[]) {
  return events.map((event, index) => ({
    ...event,
    version: index + 2,
    at: '2026-01-01T00:00:00Z',
  }));
}

test('a course goes up with a pin, and down where it ends', () => {
  const pin = { pin_id: 'p', tokens_change: 40, in_force: [] };
  const events = logged([
    item(100),
    { type: 'pin.added', data: { ...pin, text: 'Never push.', seq: null, entries: [] } },
    item(10),
    { type: 'pin.removed', data: { ...pin, tokens_change: -40 } },
  ]);
  expect(tokenCourse(events, { version: 5, tokens: 220 }, 2)).toEqual([
    { version: 2, tokens: 200 },
    { version: 3, tokens: 280 },
    { version: 4, tokens: 300 },
    { version: 5, tokens: 220 },
  ]);
});
