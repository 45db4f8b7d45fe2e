import { expect, it } from 'vitest';
import { planGroup } from '../../src/db/group-plan.ts';
import type { Decision } from '../../src/domain/session/decision.ts';
import { accept } from '../../src/domain/session/errors.ts';
import { AT, appended, created, headOf } from '../support/given.ts';
import { user } from '../support/items.ts';

const HEAD = headOf([created()]);
const EVENTS = [appended(user('one')), appended(user('two'))];

/** The plan for one command that decides so, on a session that has only been created. */
function planOf(decided: Omit<Decision<null>, 'value'>) {
  if (HEAD === null) throw new Error('session.created makes a head');
  const errors: unknown[] = [];
  const command = {
    ref: { tenant: 't', session_id: 's' },
    decide: () => accept({ value: () => null, ...decided }),
    options: { at: AT },
    resolve: () => {},
    reject: (error: unknown) => errors.push(error),
  };
  const plan = planGroup([command], { head: HEAD, hash: '0' }, new Map());
  for (const answer of plan.answers) answer();
  return { plan, errors };
}

it('takes the head of a command that has folded its events, and folds those of the others', () => {
  const after = headOf([created(), ...EVENTS]);
  if (after === null) throw new Error('session.created makes a head');
  const folded = planOf({ events: EVENTS, after }).plan;
  const plain = planOf({ events: EVENTS }).plan;
  expect(folded.after?.head).toBe(after);
  expect(folded).toEqual({ ...plain, answers: folded.answers });
});

it('refuses the head of a command that has folded only some of its events', () => {
  const after = headOf([created(), ...EVENTS.slice(1)]);
  if (after === null) throw new Error('session.created makes a head');
  const { plan, errors } = planOf({ events: EVENTS, after });
  expect(errors).toEqual([
    new Error('a command that folds its events itself must fold all of them'),
  ]);
  expect(plan.rows).toEqual([]);
});
