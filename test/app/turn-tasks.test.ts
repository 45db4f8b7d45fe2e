import { expect, it, vi } from 'vitest';
import type { Offering, PlanDeps } from '../../src/app/gateway/plan-deps.ts';
import type { Recorded } from '../../src/app/gateway/record-answer.ts';
import { type TurnTasks, turnTasks } from '../../src/app/gateway/turn-tasks.ts';
import { accept } from '../../src/domain/session/errors.ts';

/** What is no answer is read, and then nothing is done with it: no store is asked. */
const NOBODY = {} as PlanDeps & Offering;

function recorded(bytes: number): Recorded {
  const history = {
    last: '',
    words: 0,
    isAfterAnswer: false,
    hasAnswer: false,
    asked: [],
    opened: [],
    round: '',
    answer: '',
    isCalling: false,
    asker: null,
    instructions: '',
    said: 0,
  };
  return {
    request: {
      protocol: 'chat',
      tenant: 't',
      upstream: 'u',
      owner: '',
      headers: {},
      fresh_id: 'f',
    },
    plan: {
      session_id: 's',
      version: 1,
      keys: [],
      isStored: true,
      isFitted: false,
      isDelta: false,
      history,
    },
    raw: { bytes: Buffer.alloc(bytes, 'x'), isStream: false, isWhole: true },
  };
}

it.each([
  ['a short answer', 131_072, 0],
  ['a long answer', 131_073, 1],
])('%s is read where it does not hold up others', async (_, bytes, elsewhere) => {
  const done = accept(null);
  const other = { record: vi.fn<TurnTasks['record']>(async () => done) };
  const nobody = () => Promise.reject(new Error('this was not asked for'));
  const none = { plan: nobody, revise: nobody, compact: nobody, lookUp: nobody };
  const tasks = turnTasks(NOBODY, nobody, { ...none, ...other });
  expect(await tasks.record(recorded(bytes))).toEqual(done);
  expect(other.record).toHaveBeenCalledTimes(elsewhere);
});
