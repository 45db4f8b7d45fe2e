import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { renderEntries } from '../../src/domain/context/render.ts';
import { sumTokens } from '../../src/domain/context/view.ts';
import { codecFor, FORMATS, type Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { PROFILES, type Profile, profileConfig } from '../../src/domain/policy/profiles.ts';
import { toolMatcher } from '../../src/domain/policy/tool-patterns.ts';
import type { SessionEvent } from '../../src/domain/session/events.ts';
import { revertCommand, revertCompactions } from '../../src/domain/session/revert-compaction.ts';
import { extractive } from '../../src/workers/summarizers/extractive.ts';
import { providerProblems } from '../support/foreign/context-rules.ts';
import { historyArbitrary } from '../support/generators.ts';
import { atScale } from '../support/scale.ts';
import { SessionLab, TINY } from '../support/session-lab.ts';

const TERMINAL = [
  'compaction.micro_completed',
  'compaction.completed',
  'compaction.skipped',
  'compaction.failed',
  'compaction.cancelled',
  'compaction.discarded',
];

type Step =
  | { kind: 'append'; size: number }
  | { kind: 'compact'; mode: 'auto' | 'micro' | 'full' }
  | { kind: 'append_meanwhile'; size: number }
  | { kind: 'failing_compaction' }
  | { kind: 'cancelled_compaction' }
  | { kind: 'redeliver' }
  | { kind: 'propose'; mode: 'auto' | 'micro' | 'full' }
  | { kind: 'apply' | 'discard' }
  | { kind: 'revert' };

const sizeArbitrary = fc.integer({ min: 1, max: 12 });
const modeArbitrary = fc.constantFrom('auto' as const, 'micro' as const, 'full' as const);
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('append' as const), size: sizeArbitrary }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('compact' as const),
      mode: modeArbitrary,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('propose' as const), mode: modeArbitrary }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'apply' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'discard' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('append_meanwhile' as const), size: sizeArbitrary }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'failing_compaction' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'cancelled_compaction' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'redeliver' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'revert' as const }) },
);

/** What a script leaves behind: the lab, what was acknowledged, and each version's context then. */
type Run = {
  lab: SessionLab;
  acknowledged: Map<number, Item>;
  contexts: Map<number, string>;
};

const openLabs: SessionLab[] = [];
async function closeLabs(): Promise<void> {
  for (const lab of openLabs.splice(0)) await lab.close();
}

/** Scripts for each property; a commit to a server takes ten times as long as one to memory. */
const RUNS = inject('store') === 'sqlite' ? atScale({ brief: 4, short: 18, long: 60 }) : 6;

async function play(
  format: Format,
  steps: Step[],
  items: Item[],
  profile: Profile = 'default',
): Promise<Run> {
  // Without the limit, codex-classic would never compact by itself.
  const config = { ...TINY.config, auto_compact_token_limit: 500, auto_compact_min_messages: 1 };
  const lab = await SessionLab.open(format, { profile, config });
  openLabs.push(lab);
  const run: Run = { lab, acknowledged: new Map(), contexts: new Map() };
  const source = items.values();
  for (const step of steps) {
    await playStep(run, step, source);
    const view = await lab.view();
    // The head's running figure and the folded context are two folds of one log.
    expect((await lab.head()).state.tokens).toBe(sumTokens(view.entries));
    run.contexts.set(view.version, contextOf(view.entries, format));
  }
  return run;
}

function contextOf(entries: Parameters<typeof renderEntries>[0], format: Format): string {
  return JSON.stringify(renderEntries(entries, format, format));
}

async function append(run: Run, size: number, source: Iterator<Item>): Promise<string | null> {
  const batch: Item[] = [];
  for (let next = source.next(); !next.done; next = source.next()) {
    batch.push(next.value);
    if (batch.length === size) break;
  }
  if (batch.length === 0) return null;
  const outcome = await run.lab.append(batch);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.rejection));
  for (const [index, item] of batch.entries()) {
    run.acknowledged.set(outcome.value.first_seq + index, item);
  }
  return outcome.value.compaction?.id ?? null;
}

async function playStep(run: Run, step: Step, source: Iterator<Item>): Promise<void> {
  const { lab } = run;
  switch (step.kind) {
    case 'append': {
      const requested = await append(run, step.size, source);
      if (requested !== null) await lab.work(requested);
      return;
    }
    case 'compact': {
      const outcome = await lab.request(step.mode);
      if (outcome.ok) await lab.work(outcome.value.id);
      return;
    }
    case 'append_meanwhile': {
      const outcome = await lab.request('auto');
      await append(run, step.size, source);
      if (outcome.ok) await lab.work(outcome.value.id);
      return;
    }
    case 'failing_compaction': {
      lab.summarizer = { kind: 'unusable', message: 'no key' };
      const outcome = await lab.request('full');
      if (outcome.ok) await lab.work(outcome.value.id);
      lab.summarizer = extractive;
      return;
    }
    case 'cancelled_compaction': {
      const outcome = await lab.request('full');
      if (!outcome.ok) return;
      await lab.cancel(outcome.value.id);
      await lab.work(outcome.value.id);
      return;
    }
    case 'redeliver': {
      const before = await lab.events();
      const requested = before.filter((event) => event.type === 'compaction.requested').at(-1);
      if (requested?.type !== 'compaction.requested') return;
      await lab.work(requested.data.compaction_id);
      expect(await lab.events()).toEqual(before);
      return;
    }
    case 'propose': {
      const before = await lab.view();
      const outcome = await lab.request(step.mode, { propose: true });
      if (outcome.ok) await lab.work(outcome.value.id);
      expect((await lab.view()).entries).toEqual(before.entries);
      return;
    }
    case 'apply':
      return applyOldest(run);
    case 'discard': {
      const [proposal] = (await lab.head()).state.proposals;
      const before = await lab.view();
      if (proposal !== undefined) expect((await lab.discard(proposal.id)).ok).toBe(true);
      expect((await lab.view()).entries).toEqual(before.entries);
      return;
    }
    case 'revert':
      return revertLatest(run);
    default:
      step satisfies never;
  }
}

/** Puts the oldest proposal in place and checks that the context is the one that it showed. */
async function applyOldest({ lab }: Run): Promise<void> {
  const [proposal] = (await lab.head()).state.proposals;
  if (proposal === undefined) return;
  const shown = await lab.preview(proposal.id);
  const outcome = await lab.apply(proposal.id);
  if (!outcome.ok) {
    expect(outcome.rejection.code).toBe('compaction_not_applicable');
    return;
  }
  const after = await lab.view();
  expect(after.entries).toEqual(shown.entries);
  expect([...after.edits]).toEqual([...shown.edits]);
  expect(after.base).toEqual(shown.base);
  // From where on a figure is old goes by the moment of applying.
  const stale_usage_from = null;
  expect({ ...after.usage, stale_usage_from }).toEqual({ ...shown.usage, stale_usage_from });
  expect((await lab.head()).state.proposals).toEqual([]);
}

/** Undoes the newest compaction in force and checks that the context is what it was before it. */
async function revertLatest({ lab }: Run): Promise<void> {
  const events = await lab.events();
  const reverted = new Set(
    events.flatMap((event) =>
      event.type === 'compaction.reverted' ? [event.data.compaction_id] : [],
    ),
  );
  const ended = events.findLast(
    (event) =>
      (event.type === 'compaction.completed' || event.type === 'compaction.micro_completed') &&
      !reverted.has(event.data.compaction_id),
  );
  if (ended?.type !== 'compaction.completed' && ended?.type !== 'compaction.micro_completed')
    return;
  const id = ended.data.compaction_id;
  const command = revertCommand(id, events, await lab.head());
  if (!command.ok) throw new Error(command.rejection.detail);
  const outcome = await lab.commit(revertCompactions([command.value]));
  if (!outcome.ok) return;
  const start = events.find(
    (event) => event.type === 'compaction.requested' && event.data.compaction_id === id,
  );
  const before = await lab.view(start?.version);
  const after = await lab.view();
  // Earlier entries exactly as they were, then what came since the request.
  expect(after.entries.slice(0, before.entries.length)).toEqual(before.entries);
  expect(after.entries.slice(before.entries.length).map(({ origin }) => origin)).toEqual(
    after.entries.slice(before.entries.length).map(() => 'log'),
  );
}

function requestedIds(events: readonly SessionEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'compaction.requested' ? [event.data.compaction_id] : [],
  );
}

function terminalEvents(events: readonly SessionEvent[], id: string): SessionEvent[] {
  return events.filter((event) => {
    if (!TERMINAL.includes(event.type) || !('compaction_id' in event.data)) return false;
    if (event.data.compaction_id !== id) return false;
    if (event.type === 'compaction.failed') return !event.data.will_retry;
    return true;
  });
}

const HAPPENINGS = [
  'compaction.micro_completed',
  'compaction.completed',
  'compaction.skipped',
  'compaction.failed',
  'compaction.cancelled',
  'compaction.reverted',
];

describe.each(FORMATS)('invariants of SPEC section 18, format %s', (format) => {
  const script = fc.tuple(
    fc.array(stepArbitrary, { minLength: 3, maxLength: 14 }),
    fc.array(historyArbitrary(format), { minLength: 1, maxLength: 6 }).map((parts) => parts.flat()),
    fc.constantFrom(...PROFILES),
  );
  const runs = { numRuns: RUNS };
  const property = (check: (script: [Step[], Item[], Profile]) => Promise<void>) =>
    fc.asyncProperty(script, check).afterEach(closeLabs);

  it('1, 2, 10: the log is contiguous, complete and final; old contexts come out byte for byte', async () => {
    await fc.assert(
      property(async ([steps, items, profile]) => {
        const { lab, acknowledged, contexts } = await play(format, steps, items, profile);
        const events = await lab.events();
        expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1));
        for (const [seq, item] of acknowledged) {
          const event = events[seq - 1];
          expect(event?.type === 'item.appended' && event.data.item).toEqual(item);
        }
        for (const [version, context] of contexts) {
          expect(contextOf((await lab.view(version)).entries, format)).toBe(context);
        }
        expect((await lab.store.verify()).problems).toEqual([]);
      }),
      runs,
    );
  });

  it('3: every rendered context is valid for its provider, in any format', async () => {
    await fc.assert(
      property(async ([steps, items, profile]) => {
        const { lab, contexts } = await play(format, steps, items, profile);
        for (const version of contexts.keys()) {
          const { entries } = await lab.view(version);
          for (const target of FORMATS) {
            const rendered = renderEntries(entries, format, target);
            expect(codecFor(target).violations(rendered)).toEqual([]);
            const isConverted = target !== format;
            expect(providerProblems(target, rendered, { isConverted })).toEqual([]);
          }
        }
      }),
      runs,
    );
  });

  it('4: items after the cut stand in the context once, in order, unchanged', async () => {
    await fc.assert(
      property(async ([steps, items, profile]) => {
        const { lab, acknowledged, contexts } = await play(format, steps, items, profile);
        for (const version of contexts.keys()) {
          const view = await lab.view(version);
          const through = view.base?.through ?? 0;
          const log = view.entries.filter(({ origin }) => origin === 'log');
          const expected = [...acknowledged.keys()].filter((s) => s > through && s <= version);
          expect(log.map(({ seq }) => seq)).toEqual(expected);
          const edited = new Set([...view.edits.values()].map(({ seq }) => seq));
          for (const { seq, item } of log) {
            if (seq !== null && !edited.has(seq)) expect(item).toEqual(acknowledged.get(seq));
          }
        }
      }),
      runs,
    );
  });

  it('5, 8: one terminal event per compaction; failed and cancelled ones change nothing', async () => {
    await fc.assert(
      property(async ([steps, items, profile]) => {
        const { lab } = await play(format, steps, items, profile);
        const events = await lab.events();
        const open = (await lab.head()).state.proposals.map(({ id }) => id);
        for (const id of requestedIds(events)) {
          const [end, ...more] = terminalEvents(events, id);
          expect(more).toEqual([]);
          expect(end === undefined).toBe(open.includes(id));
          if (end === undefined || !/skipped|failed|cancelled/.test(end.type)) continue;
          const requested = events.find(
            (event) => event.type === 'compaction.requested' && event.data.compaction_id === id,
          );
          const arrived = events.filter(
            (event) => event.type === 'item.appended' && event.version > (requested?.version ?? 0),
          );
          if (arrived.some((event) => event.version < end.version)) continue;
          const before = await lab.view(requested?.version);
          const after = await lab.view(end.version);
          expect(after.entries).toEqual(before.entries);
        }
      }),
      runs,
    );
  });

  it('6, 7: clearing respects its limits; no compaction makes the context larger', async () => {
    await fc.assert(
      property(async ([steps, items, profile]) => {
        const { lab } = await play(format, steps, items, profile);
        const minimum = lab.session.config.micro_compact_min_tokens_to_save ?? 0;
        const config = profileConfig(profile, TINY.context_window);
        const isEligible = toolMatcher(config.micro_compact_eligible_tools);
        for (const event of await lab.events()) {
          if (event.type === 'compaction.completed') {
            expect(event.data.report.tokens_after).toBeLessThan(event.data.report.tokens_before);
          }
          if (event.type !== 'compaction.micro_completed') continue;
          expect(event.data.tokens_after).toBeLessThan(event.data.tokens_before);
          const cleared = event.data.edits.filter(({ kind }) => kind === 'cleared');
          // What the window cannot carry is shortened whatever that saves, and of whatever tool.
          if (cleared.length > 0) expect(event.data.tokens_saved).toBeGreaterThanOrEqual(minimum);
          const before = await lab.view(event.version - 1);
          const calls = before.entries.flatMap(({ item }) => {
            const normalised = codecFor(format).normalise(item);
            return normalised.kind === 'message'
              ? normalised.parts.filter((part) => part.kind === 'tool_call')
              : [];
          });
          for (const edit of cleared) {
            expect(before.edits.get(`${edit.seq}:${edit.tool_use_id}`)?.kind).not.toBe('cleared');
            const names = calls.filter(({ id }) => id === edit.tool_use_id).map(({ name }) => name);
            expect(names.some(isEligible)).toBe(true);
          }
        }
      }),
      runs,
    );
  });

  it('6: a second micro-compaction right after the first clears nothing', async () => {
    await fc.assert(
      property(async ([steps, items]) => {
        const { lab } = await play(format, steps, items);
        for (const expected of ['first', 'second'] as const) {
          const outcome = await lab.request('micro');
          if (!outcome.ok) throw new Error(outcome.rejection.detail);
          await lab.work(outcome.value.id);
          const end = terminalEvents(await lab.events(), outcome.value.id).at(0);
          if (expected === 'second') expect(end?.type).toBe('compaction.skipped');
        }
      }),
      runs,
    );
  });

  it('11: the same log, configuration and summaries give the same events', async () => {
    await fc.assert(
      property(async ([steps, items]) => {
        const one = await play(format, steps, items);
        const two = await play(format, steps, items);
        expect(await two.lab.events()).toEqual(await one.lab.events());
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  });

  // Of the scripts, not of the store: once is enough.
  if (inject('store') === 'sqlite') {
    it('compactions of every kind really happen in these scripts', async () => {
      const missing = new Set<string>(HAPPENINGS);
      for (const [steps, items] of fc.sample(script, { numRuns: 60, seed: 7 })) {
        if (missing.size === 0) break;
        const { lab } = await play(format, steps, items);
        for (const event of await lab.events()) missing.delete(event.type);
        await closeLabs();
      }
      expect([...missing]).toEqual([]);
    });
  }
});
