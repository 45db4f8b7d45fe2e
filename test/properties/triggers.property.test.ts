import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { loadView } from '../../src/app/load-view.ts';
import { forkSession } from '../../src/domain/context/fork-session.ts';
import { renderEntries } from '../../src/domain/context/render.ts';
import { codecFor, FORMATS, type Format } from '../../src/domain/items/codecs.ts';
import { PROFILES, type Profile } from '../../src/domain/policy/profiles.ts';
import type { SessionEvent } from '../../src/domain/session/events.ts';
import { providerProblems } from '../support/foreign/context-rules.ts';
import { historyArbitrary } from '../support/generators.ts';
import { atScale } from '../support/scale.ts';
import { SessionLab, TINY } from '../support/session-lab.ts';
import {
  COMMAND_TEXT,
  CONFIG,
  configArbitrary,
  stepArbitrary,
  TriggerPlay,
} from '../support/trigger-play.ts';

/** Whether an event ends a compaction. */
function endOf(event: SessionEvent, id: string): boolean {
  if (!('compaction_id' in event.data) || event.data.compaction_id !== id) return false;
  if (event.type === 'compaction.failed') return !event.data.will_retry;
  return /micro_completed|\.completed|skipped|cancelled/.test(event.type);
}

/** A commit to a server takes ten times as long as one to memory. */
const RUNS = inject('store') === 'sqlite' ? atScale({ brief: 6, short: 10, long: 30 }) : 3;

function isPacket(event: SessionEvent | undefined): boolean {
  return event?.type === 'item.appended' && event.data.source === 'packet';
}

/** What stands from the awaited message on is summarised, too, when with the margin of a third it fills the window. */
const MOST_KEPT = TINY.context_window * 0.75 - 1;

/** Tokens of the items from `seq` on, as they stood in the log at an event. */
function tokensFrom(
  seq: number,
  events: readonly SessionEvent[],
  { version }: SessionEvent,
): number {
  const items = events.filter((event) => event.type === 'item.appended');
  const standing = items.filter((item) => item.version >= seq && item.version < version);
  return standing.reduce((sum, { data }) => sum + data.tokens, 0);
}

/** One end for each request, never a larger context, no cut after what waits, one packet at most. */
function checkEvents(events: readonly SessionEvent[]): void {
  expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1));
  for (const [index, event] of events.entries()) {
    if (isPacket(event)) expect(events[index - 1]?.type).toMatch(/completed/);
    if (event.type !== 'compaction.requested') continue;
    const { compaction_id: id, before = Number.POSITIVE_INFINITY } = event.data;
    const [end, ...more] = events.filter((candidate) => endOf(candidate, id));
    expect([end === undefined, more]).toEqual([false, []]);
    if (end?.type !== 'compaction.completed') continue;
    const { tokens_after, tokens_before } = end.data.report;
    expect(tokens_after).toBeLessThan(tokens_before);
    if (end.data.through >= before)
      expect(tokensFrom(before, events, end)).toBeGreaterThan(MOST_KEPT);
    expect(JSON.stringify(end.data)).not.toContain(COMMAND_TEXT);
  }
}

/** A fork of any version holds what its parent held there. */
async function checkFork(lab: SessionLab, version: number, format: Format): Promise<void> {
  const view = await lab.view(version);
  const { settings } = await lab.head();
  const ref = { tenant: 'local', session_id: 'fork' };
  const compacted_version = view.base?.version ?? 0;
  const fork = forkSession({ session_id: 'lab', settings, view, compacted_version });
  await lab.store.commit(ref, fork, { at: lab.now().toISOString() });
  const forked = await loadView(lab.store, ref);
  const rendered = renderEntries(view.entries, format, format);
  expect(renderEntries(forked?.entries ?? [], format, format)).toEqual(rendered);
}

describe.each(FORMATS)('every trigger, in any order, format %s', (format) => {
  const script = fc.record({
    profile: fc.constantFrom<Profile[]>('rawr', 'rawr', 'rawr', 'rawr', ...PROFILES),
    config: configArbitrary,
    items: fc
      .array(historyArbitrary(format), { minLength: 2, maxLength: 6 })
      .map((parts) => parts.flat()),
    steps: fc.array(stepArbitrary, { minLength: 10, maxLength: 40, size: 'max' }),
  });

  it('keeps what SPEC section 18 promises', async () => {
    const labs: SessionLab[] = [];
    await fc.assert(
      fc
        .asyncProperty(script, async ({ profile, config, items, steps }) => {
          const session = { profile, config: { ...CONFIG, ...config } };
          const lab = await SessionLab.open(format, session);
          labs.push(lab);
          const { contexts } = await new TriggerPlay(lab, format, items).run(steps);
          checkEvents(await lab.events());
          for (const [version, context] of contexts) {
            const { entries } = await lab.view(version);
            expect(JSON.stringify(entries)).toBe(context);
            expect(context).not.toContain(COMMAND_TEXT);
            for (const target of FORMATS) {
              const rendered = renderEntries(entries, format, target);
              expect(codecFor(target).violations(rendered)).toEqual([]);
              const isConverted = target !== format;
              expect(providerProblems(target, rendered, { isConverted })).toEqual([]);
            }
          }
          await checkFork(lab, [...contexts.keys()].at(-3) ?? 1, format);
          expect((await lab.store.verify()).problems).toEqual([]);
        })
        .afterEach(async () => {
          for (const lab of labs.splice(0)) await lab.close();
        }),
      { numRuns: RUNS },
    );
  });
});
