import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expiredSessions } from '../../src/app/expired-sessions.ts';
import type { SizedSession } from '../../src/app/ports/archive.ts';

function session(place: number, day: number, bytes: number, is_at_rest = true): SizedSession {
  return {
    ref: { tenant: 'local', session_id: `s-${place}` },
    place,
    version: 1,
    hash: '',
    updated_at: `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`,
    bytes,
    is_at_rest,
  };
}

const places = (sessions: SizedSession[]) => sessions.map(({ place }) => place);
const ALL = [session(1, 20, 100), session(2, 10, 100), session(3, 15, 100, false)];
const at = (day: number) => session(0, day, 0).updated_at;

test('what is too old goes, oldest first, unless something is under way', () => {
  expect(places(expiredSessions(ALL, { before: at(30) }))).toEqual([2, 1]);
  expect(places(expiredSessions(ALL, { before: at(20) }))).toEqual([2]);
  expect(places(expiredSessions(ALL, { before: at(10) }))).toEqual([]);
});

test('what does not fit goes, those left alone for longest first', () => {
  expect(places(expiredSessions(ALL, { bytes: 300 }))).toEqual([]);
  expect(places(expiredSessions(ALL, { bytes: 299 }))).toEqual([2]);
  expect(places(expiredSessions(ALL, { bytes: 200 }))).toEqual([2]);
  // The one that something is under way in stays, though it is too much.
  expect(places(expiredSessions(ALL, { bytes: 0 }))).toEqual([2, 1]);
  expect(places(expiredSessions(ALL, { bytes: 250, before: at(21) }))).toEqual([2, 1]);
});

test('what stays fits and is young, or something is under way in it', () => {
  const anySession = fc.record({
    day: fc.integer({ min: 1, max: 28 }),
    bytes: fc.nat(1000),
    rest: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(anySession),
      fc.nat(5000),
      fc.integer({ min: 1, max: 28 }),
      (drawn, bytes, day) => {
        const all = drawn.map((one, place) => session(place, one.day, one.bytes, one.rest));
        const gone = new Set(expiredSessions(all, { bytes, before: at(day) }));
        const left = all.filter((one) => !gone.has(one));
        const resting = left.filter((one) => one.is_at_rest);
        expect(resting.filter((one) => one.updated_at < at(day))).toEqual([]);
        const sum = left.reduce((total, one) => total + one.bytes, 0);
        expect(sum <= bytes || resting.length === 0).toBe(true);
        for (const one of gone) expect(one.is_at_rest).toBe(true);
      },
    ),
  );
});
