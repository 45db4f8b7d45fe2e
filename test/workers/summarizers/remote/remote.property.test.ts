import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { renderEntries } from '../../../../src/domain/context/render.ts';
import { codecFor } from '../../../../src/domain/items/codecs.ts';
import type { Item } from '../../../../src/domain/items/item.ts';
import type { Mode } from '../../../../src/domain/session/events.ts';
import {
  revertCommand,
  revertCompactions,
} from '../../../../src/domain/session/revert-compaction.ts';
import { historyArbitrary } from '../../../support/generators.ts';
import { atScale } from '../../../support/scale.ts';
import { opaqueItem } from '../../../support/scripted-model/compaction.ts';
import { SessionLab } from '../../../support/session-lab.ts';
import { compact } from './remote-lab.ts';

const CODEC = codecFor('openai-responses');
const NOTHING = { input: 1, output: 1, cache_read: 0, cache_creation: 0 };

const RUNS = atScale({ brief: 24, short: 60, long: 60 });

const labs: SessionLab[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

type Step = { mode: Mode; size: number; reverts: boolean };
const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  mode: fc.constantFrom<Step['mode'][]>('remote', 'remote', 'full', 'micro', 'auto'),
  size: fc.integer({ min: 1, max: 12 }),
  reverts: fc.boolean(),
});

/** What the model would be sent now. */
async function context(lab: SessionLab): Promise<Item[]> {
  const { entries } = await lab.view();
  return renderEntries(entries, 'openai-responses', 'openai-responses');
}

/** A provider that keeps the messages of the user, and notes what it was asked. */
async function openLab(inputs: Item[][]): Promise<SessionLab> {
  const lab = await SessionLab.open('openai-responses', { model: 'gpt-5.4' });
  lab.compactRemotely = async ({ input }) => {
    inputs.push(input);
    const users = input.filter(({ role }) => role === 'user').slice(-2);
    const output = [...users, opaqueItem(`o${inputs.length}`)];
    return { ok: true, output, usage: NOTHING };
  };
  labs.push(lab);
  return lab;
}

it('whatever is compacted in whatever order: valid contexts and requests, exact reverts, one opaque item', async () => {
  let replaced = 0;
  await fc.assert(
    fc.asyncProperty(
      historyArbitrary('openai-responses'),
      fc.array(stepArbitrary, { minLength: 1, maxLength: 8 }),
      async (history, steps) => {
        const inputs: Item[][] = [];
        const lab = await openLab(inputs);
        let next = 0;
        for (const { mode, size, reverts } of steps) {
          const items = history.slice(next, next + size);
          next += size;
          if (items.length > 0) await lab.append(items);
          const before = await context(lab);
          // An append may have asked for one itself.
          const under = (await lab.head()).state.running;
          const id = under === null ? await compact(lab, mode) : under.id;
          if (under !== null) await lab.work(id);
          const after = await context(lab);
          expect(CODEC.violations(after)).toEqual([]);
          const opaque = after.filter(({ type }) => type === 'compaction');
          expect(opaque.length).toBeLessThanOrEqual(1);
          // What only the provider can read goes on standing in the context, or in its next request.
          const earlier = before.filter(({ type }) => type === 'compaction');
          for (const item of earlier) {
            const isThere = [...after, ...(inputs.at(-1) ?? [])].some(
              ({ encrypted_content }) => encrypted_content === item.encrypted_content,
            );
            expect(isThere).toBe(true);
          }
          const command = revertCommand(id, await lab.events(), await lab.head());
          if (!command.ok) continue;
          replaced += opaque.length;
          if (!reverts) continue;
          expect((await lab.commit(revertCompactions([command.value]))).ok).toBe(true);
          expect(await context(lab)).toEqual(before);
        }
        for (const input of inputs) expect(CODEC.violations(input)).toEqual([]);
        expect((await lab.store.verify()).problems).toEqual([]);
      },
    ),
    { numRuns: RUNS },
  );
  // The property is about something: of 60 runs about 30 such items, though most may fall to a few of them.
  expect(replaced).toBeGreaterThan(0);
});
