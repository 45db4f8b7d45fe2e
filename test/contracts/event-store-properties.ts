import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EventStore, SessionRef } from '../../src/app/ports/event-store.ts';
import type { Decide } from '../../src/domain/session/decision.ts';
import { accept } from '../../src/domain/session/errors.ts';
import type { NewEvent } from '../../src/domain/session/events.ts';
import {
  AT,
  cancelled,
  completed,
  created,
  failed,
  item,
  microCompacted,
  refuse,
  requested,
  reverted,
  skipped,
  started,
} from './session-events.ts';

const STEPS = [
  'append',
  'append many',
  'configure',
  'request',
  'start',
  'micro',
  'complete',
  'skip',
  'fail',
  'retry',
  'cancel',
  'revert',
  'reject',
  'throw',
] as const;
type Step = (typeof STEPS)[number];

/** A command for a step; a step that cannot follow throws in `evolve`, which must change nothing. */
function commandOf(step: Step, index: number): Decide<number> {
  if (step === 'reject') return refuse;
  return (head) => {
    const events: NewEvent[] = head === null ? [created] : [];
    const id = head?.state.running?.id ?? `c-${index}`;
    const through = head?.state.version ?? 1;
    events.push(...eventsOf(step, id, through));
    return accept({ events, value: (after) => after.state.version });
  };
}

function eventsOf(step: Exclude<Step, 'reject'>, id: string, through: number): NewEvent[] {
  switch (step) {
    case 'append':
      return [item('one', through)];
    case 'append many':
      return [item('one'), item('two'), item('three')];
    case 'configure':
      return [{ type: 'session.configured', data: { metadata: { through } } }];
    case 'request':
      return [requested(id)];
    case 'start':
      return [started(id)];
    case 'micro':
      return [microCompacted(id)];
    case 'complete':
      return [completed(id, through)];
    case 'skip':
      return [skipped(id, 'below_threshold')];
    case 'fail':
      return [failed(id, false)];
    case 'retry':
      return [failed(id, true)];
    case 'cancel':
      return [cancelled(id)];
    case 'revert':
      return [reverted(id)];
    case 'throw':
      throw new Error('a bug in decide');
    default:
      return step satisfies never;
  }
}

/** SPEC section 18, rules 1 and 10, for whatever commands arrive in whatever groups. */
export function eventStoreProperties(store: () => EventStore): void {
  test('any commands leave contiguous versions, and rebuilt equals stored', async () => {
    let run = 0;
    const step = fc.record({
      session: fc.integer({ min: 0, max: 2 }),
      step: fc.constantFrom(...STEPS),
      isAwaited: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        run += 1;
        const refs = [0, 1, 2].map(
          (session): SessionRef => ({ tenant: 'acme', session_id: `run-${run}-${session}` }),
        );
        const answers: Promise<number | null>[] = [];
        for (const [index, { session, step, isAwaited }] of steps.entries()) {
          const ref = refs[session] ?? { tenant: 'acme', session_id: 'unreachable' };
          const answer = store()
            .commit(ref, commandOf(step, index), { at: AT })
            .then(
              (outcome) => (outcome.ok ? outcome.value.value : null),
              () => null,
            );
          answers.push(answer);
          if (isAwaited) await answer;
        }
        const acknowledged = await Promise.all(answers);
        for (const [session, ref] of refs.entries()) {
          const versions = (await store().events(ref)).map(({ version }) => version);
          expect(versions).toEqual(versions.map((_, index) => index + 1));
          const mine = acknowledged.filter((_, index) => steps[index]?.session === session);
          const highest = mine.reduce<number>((max, version) => Math.max(max, version ?? 0), 0);
          expect(versions.length).toBe(highest);
          expect((await store().head(ref))?.state.version ?? 0).toBe(highest);
        }
        expect((await store().verify()).problems).toEqual([]);
        for (const ref of refs) await store().erase(ref);
      }),
      { numRuns: 60 },
    );
  });
}
