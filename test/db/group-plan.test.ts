import { expect, it } from 'vitest';
import { planGroup } from '../../src/db/group-plan.ts';
import type { Decision } from '../../src/domain/session/decision.ts';
import { accept } from '../../src/domain/session/errors.ts';
import type { NewEvent } from '../../src/domain/session/events.ts';
import { evolve } from '../../src/domain/session/evolve.ts';
import type { Head } from '../../src/domain/session/head.ts';
import { AT, appended, created, headOf, logOf } from '../support/given.ts';
import { user } from '../support/items.ts';

const HEAD = headOf([created()]);
const EVENTS = [appended(user('one')), appended(user('two'))];
const LATER = '2026-01-01T00:00:01.000Z';

/** The head of a command that has folded so many events at this time. */
function foldedAt(at: string, events: readonly NewEvent[]): Head {
  const log = logOf([created(), ...events]).map((event, index) =>
    index > 0 ? { ...event, at } : event,
  );
  const head = log.reduce<Head | null>(evolve, null);
  if (head === null) throw new Error('session.created makes a head');
  return head;
}

/** The plan for one command that decides so, on a session that has only been created. */
function planOf(decided: Omit<Decision<null>, 'value'>, at = LATER) {
  if (HEAD === null) throw new Error('session.created makes a head');
  const errors: unknown[] = [];
  const command = {
    ref: { tenant: 't', session_id: 's' },
    decide: () => accept({ value: () => null, ...decided }),
    options: { at },
    resolve: () => {},
    reject: (error: unknown) => errors.push(error),
  };
  const plan = planGroup([command], { head: HEAD, hash: '0' }, new Map());
  for (const answer of plan.answers) answer();
  return { plan, errors };
}

it('takes the head of a command that has folded its events, and folds those of the others', () => {
  const after = foldedAt(LATER, EVENTS);
  const folded = planOf({ events: EVENTS, after }).plan;
  const plain = planOf({ events: EVENTS }).plan;
  expect(folded.after?.head).toBe(after);
  expect(folded).toEqual({ ...plain, answers: folded.answers });
});

it('folds anew what was folded at another time, which a clock that was set back makes look the same', () => {
  const after = foldedAt('2025-01-01T00:00:00.000Z', EVENTS);
  expect(planOf({ events: EVENTS, after }, AT).plan.after?.head).not.toBe(after);
  expect(planOf({ events: EVENTS, after }).plan.after?.head).not.toBe(after);
});

it('refuses the head of a command that has folded only some of its events', () => {
  const after = foldedAt(LATER, EVENTS.slice(1));
  const { plan, errors } = planOf({ events: EVENTS, after });
  expect(errors).toEqual([
    new Error('a command that folds its events itself must fold all of them'),
  ]);
  expect(plan.rows).toEqual([]);
});
