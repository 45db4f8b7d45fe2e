import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { revert } from '../../src/app/revert.ts';
import { sumTokens } from '../../src/domain/context/view.ts';
import type { Outcome } from '../../src/domain/session/errors.ts';
import { assistant, ofTokens, user } from '../support/items.ts';
import { atScale } from '../support/scale.ts';
import { SessionLab } from '../support/session-lab.ts';

/** What clients do at the same moment, in an order that nobody chooses. */
const act = fc.constantFrom('apply', 'discard', 'append', 'compact', 'propose', 'revert');
type Act = 'apply' | 'discard' | 'append' | 'compact' | 'propose' | 'revert';

const open: SessionLab[] = [];
afterEach(async () => {
  for (const lab of open.splice(0)) await lab.close();
});

function talk(from: number): ReturnType<typeof user>[] {
  return Array.from({ length: 4 }, (_, i) => [
    user(`Question ${from + i}: ${ofTokens(40)}`),
    assistant(`Answer ${from + i}: ${ofTokens(40)}`),
  ]).flat();
}

/** A session with a compaction in force, and two proposals for what came after it. */
async function proposing(): Promise<{ lab: SessionLab; ids: [string, string]; before: string }> {
  const lab = await SessionLab.open('anthropic');
  open.push(lab);
  await lab.append(talk(0).slice(0, 4));
  const first = await ended(lab, 'full');
  await lab.append(talk(10).slice(0, 6));
  const ids: [string, string] = [
    await ended(lab, 'full', { propose: true }),
    await ended(lab, 'full', { propose: true }),
  ];
  return { lab, ids, before: first };
}

async function ended(
  lab: SessionLab,
  mode: 'full',
  wishes: { propose?: true } = {},
): Promise<string> {
  const outcome = await lab.request(mode, wishes);
  if (!outcome.ok) throw new Error(outcome.rejection.detail);
  await lab.work(outcome.value.id);
  return outcome.value.id;
}

function acted(lab: SessionLab, kind: Act, index: number, [a, b]: [string, string], base: string) {
  const { store, world, now } = lab;
  const proposal = index % 2 === 0 ? a : b;
  switch (kind) {
    case 'apply':
      return lab.apply(proposal);
    case 'discard':
      return lab.discard(proposal);
    case 'append':
      return lab.append([user(`Meanwhile ${index}.`)]);
    case 'compact':
      return lab.request('full');
    case 'propose':
      return lab.request('full', { propose: true });
    case 'revert':
      return revert({ store, world, clock: { now } }, lab.ref, base);
    default:
      return kind satisfies never;
  }
}

describe('proposals, and everything else at the same moment', () => {
  it('one wins, the others are told why, and the log stays whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 8 }), async (acts) => {
        const { lab, ids, before } = await proposing();
        const outcomes: Outcome<unknown>[] = await Promise.all(
          acts.map((kind, index) => acted(lab, kind, index, ids, before)),
        );
        const won = (kind: Act) => acts.filter((act, i) => act === kind && outcomes[i]?.ok).length;
        expect(won('apply')).toBeLessThanOrEqual(1);
        expect(won('discard')).toBeLessThanOrEqual(2);
        expect(won('append')).toBe(acts.filter((kind) => kind === 'append').length);
        for (const [index, outcome] of outcomes.entries()) {
          if (!outcome.ok && ['apply', 'discard'].includes(acts[index] ?? '')) {
            expect(outcome.rejection.code).toMatch(
              /^(proposal_not_open|compaction_not_applicable)$/,
            );
          }
        }
        const { running } = (await lab.head()).state;
        if (running !== null) await lab.work(running.id);
        const events = await lab.events();
        for (const id of ids) {
          const ends = events.filter(
            ({ type, data }) =>
              (type === 'compaction.completed' || type === 'compaction.discarded') &&
              data.compaction_id === id,
          );
          const isOpen = (await lab.head()).state.proposals.some((proposal) => proposal.id === id);
          expect(ends.length).toBe(isOpen ? 0 : 1);
        }
        const view = await lab.view();
        expect((await lab.head()).state.tokens).toBe(sumTokens(view.entries));
        const said = view.entries.filter(({ item }) => JSON.stringify(item).includes('Meanwhile'));
        expect(said.length).toBeGreaterThanOrEqual(running === null ? won('append') : 0);
        expect((await lab.store.verify()).problems).toEqual([]);
        await lab.close();
        open.length = 0;
      }),
      { numRuns: atScale({ brief: 12, short: 25, long: 120 }) },
    );
  });

  it('two that apply the same proposal: the first has it, the second hears so', async () => {
    const { lab, ids } = await proposing();
    const outcomes = await Promise.all([lab.apply(ids[0]), lab.apply(ids[0]), lab.apply(ids[1])]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, false]);
    expect(outcomes[1]).toMatchObject({ rejection: { code: 'proposal_not_open' } });
  });
});
