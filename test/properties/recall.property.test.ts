import fc from 'fast-check';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { listPins } from '../../src/app/list-pins.ts';
import { covered } from '../../src/app/recall/covered.ts';
import { trace } from '../../src/app/recall/trace.ts';
import { renderEntries } from '../../src/domain/context/render.ts';
import { sumTokens } from '../../src/domain/context/view.ts';
import { codecFor, FORMATS } from '../../src/domain/items/codecs.ts';
import { isTakenAway } from '../../src/domain/session/result-edits.ts';
import { type RecallAct, RecallPlay, recallActs } from '../support/recall-play.ts';
import { atScale } from '../support/scale.ts';
import type { SessionLab } from '../support/session-lab.ts';

/** A commit to a server takes ten times as long as one to memory. */
const RUNS = inject('store') === 'sqlite' ? atScale({ brief: 12, short: 50, long: 400 }) : 10;

const open: SessionLab[] = [];
afterEach(async () => {
  for (const lab of open.splice(0)) await lab.close();
});

async function traced(lab: SessionLab, seq: number, at?: number, session_id?: string) {
  const found = await trace(lab, lab.ref, { seq, at, session_id });
  if (!found.ok) throw new Error(found.rejection.detail);
  return found.value;
}

/** The items of a session's own log, up to a version. */
async function itemsOf(lab: SessionLab, session_id: string, up_to: number) {
  const ref = { ...lab.ref, session_id };
  return lab.store.events(ref, { types: ['item.appended'], up_to });
}

/** What trace says of the items of the log is what the context of that version holds. */
async function checkTraces(lab: SessionLab, at: number): Promise<void> {
  const view = await lab.view(at);
  for (const event of await itemsOf(lab, lab.ref.session_id, at)) {
    const { version: seq } = event;
    const { state, is_verbatim, history } = await traced(lab, seq, at);
    const entry = view.entries.find((one) => one.seq === seq);
    const isPinned = entry?.pinned === true;
    const edits = [...view.edits.values()].filter((edit) => edit.seq === seq && !isPinned);
    const where = `item ${seq} at ${at}: ${state}`;
    expect(state === 'in_context' || state === 'cleared', where).toBe(entry !== undefined);
    expect(is_verbatim, where).toBe(entry !== undefined && !view.originals.has(seq));
    expect(state === 'cleared', where).toBe(entry !== undefined && edits.some(isTakenAway));
    expect(history.at(-1)?.version ?? 0, where).toBeLessThanOrEqual(at);
    const steps = history.map(({ what }) => what);
    if (state === 'summarised') expect(steps, where).toContain('summarised');
    if (state === 'superseded') expect(steps.at(-1), where).toBe('superseded');
  }
}

/** What is pinned stands in the context once, as it was appended, and everything is counted. */
async function checkPins(lab: SessionLab): Promise<void> {
  const { state } = await lab.head();
  const view = await lab.view();
  expect(state.tokens).toBe(sumTokens(view.entries));
  const pins = await listPins(lab, lab.ref);
  if (!pins.ok) throw new Error(pins.rejection.detail);
  expect(pins.value.data.map(({ id }) => id)).toEqual(state.pins.all.map(({ id }) => id));
  for (const { text, items } of pins.value.data) {
    if (text !== null) {
      const said = view.entries.filter(({ item }) => item.content === text);
      expect(said.map(({ origin }) => origin)).toEqual(['pinned']);
    }
    for (const seq of items) {
      const [event] = await lab.store.events(lab.ref, { after: seq - 1, up_to: seq });
      const found = view.entries.filter((entry) => entry.seq === seq);
      expect(found.map(({ item }) => item)).toEqual([
        event?.data && 'item' in event.data && event.data.item,
      ]);
    }
  }
  const items = view.entries.map(({ item }) => item);
  const target = view.format;
  for (const format of FORMATS) {
    const rendered = renderEntries(view.entries, target, format);
    expect(codecFor(format).violations(rendered), JSON.stringify(items)).toEqual([]);
  }
  expect((await lab.store.verify()).problems).toEqual([]);
}

/** What the parents of a fork held: what stood in their contexts, stands in the fork as its copy does. */
async function checkParents(lab: SessionLab): Promise<void> {
  const copies = new Map<string, number>();
  let session = lab.ref.session_id;
  for (;;) {
    const [forked] = await lab.store.events(
      { ...lab.ref, session_id: session },
      { types: ['session.forked'] },
    );
    if (forked?.type !== 'session.forked') break;
    const { parent_session_id, parent_version } = forked.data;
    session = parent_session_id;
    for (const { version } of await itemsOf(lab, session, parent_version)) {
      const { state, compaction_id, is_verbatim, history, summary } = await traced(
        lab,
        version,
        undefined,
        session,
      );
      expect(state === 'summarised' && history.at(-1)?.what === 'appended').toBe(false);
      if (state === 'summarised' && compaction_id !== null) expect(summary).not.toBeNull();
      if (is_verbatim) copies.set(history.at(-1)?.session_id ?? '', 1);
    }
  }
  // Whatever still stands in the context stands there in the log of the fork itself.
  for (const id of copies.keys()) expect(id).toBe(lab.ref.session_id);
}

/** What each compaction took away and what it left are what was there before. */
async function checkCovered(lab: SessionLab): Promise<void> {
  const done = await lab.store.events(lab.ref, {
    types: ['compaction.completed', 'compaction.micro_completed'],
  });
  for (const event of done) {
    if (!('compaction_id' in event.data)) continue;
    const before = await lab.view(event.version - 1);
    const after = await lab.view(event.version);
    const seqs = ({ entries }: typeof before) => entries.flatMap(({ seq }) => seq ?? []);
    const found: { seq: number; taken: string; state: string }[] = [];
    for (let from = 0; ; ) {
      const page = await covered(lab, lab.ref, event.data.compaction_id, { after: from, limit: 3 });
      if (!page.ok) throw new Error(page.rejection.detail);
      found.push(...page.value.data);
      if (page.value.next_cursor === null) break;
      from = Number(page.value.next_cursor);
    }
    const summarised = found.filter(({ taken }) => taken === 'summarised').map(({ seq }) => seq);
    expect([...summarised, ...seqs(after)].sort((a, b) => a - b)).toEqual(
      seqs(before).sort((a, b) => a - b),
    );
    const edited = found.filter(({ taken }) => taken !== 'summarised').map(({ seq }) => seq);
    const changed = after.entries.filter(({ seq, item }) => {
      const same = before.entries.find((entry) => entry.seq === seq);
      return seq !== null && JSON.stringify(same?.item) !== JSON.stringify(item);
    });
    expect(edited).toEqual(changed.map(({ seq }) => seq));
    for (const { seq, state } of found) expect((await traced(lab, seq)).state).toBe(state);
  }
}

/** The second fork begins before the copies that the first one holds. */
const FORK_OF_A_FORK: RecallAct[] = [
  { kind: 'fork' },
  { kind: 'client_compaction' },
  { kind: 'retry' },
  { kind: 'append', turns: 1 },
  { kind: 'compact', mode: 'micro' },
];

/** The same with pins: of what is covered, and of what is not. */
const PINS_IN_A_FORK_OF_A_FORK: RecallAct[] = [
  { kind: 'append', turns: 4 },
  { kind: 'compact', mode: 'full' },
  { kind: 'pin', which: 1 },
  { kind: 'pin', which: 22 },
  ...FORK_OF_A_FORK,
];

/** The revert takes back a compaction, and the client had retried in between. */
const REVERT_AFTER_A_RETRY: RecallAct[] = [
  { kind: 'pin_meanwhile', which: 0 },
  { kind: 'compact', mode: 'full' },
  { kind: 'retry' },
  { kind: 'revert' },
];

/** A pin that stands in front goes with the item that the client takes back, before its own end is told. */
const RETRY_OF_A_PIN: RecallAct[] = [
  { kind: 'compact', mode: 'full' },
  { kind: 'fork' },
  { kind: 'pin_meanwhile', which: 339 },
  { kind: 'retry' },
];

/** What a micro compaction takes away stays so until a full one, which three more turns would bring. */
const CLEARED: RecallAct[] = [{ kind: 'compact', mode: 'micro' }];

/** With the one above it reaches everything once, whatever else is tried. */
const EXAMPLE: RecallAct[] = [
  { kind: 'append', turns: 3 },
  { kind: 'retry' },
  { kind: 'append', turns: 2 },
  { kind: 'compact', mode: 'micro' },
  { kind: 'pin', which: 1 },
  { kind: 'pin_meanwhile', which: 9 },
  { kind: 'append', turns: 4 },
  { kind: 'compact', mode: 'full' },
  { kind: 'fork' },
  { kind: 'append', turns: 3 },
  { kind: 'unpin', which: 0 },
  { kind: 'compact', mode: 'full' },
];

describe('where the items of a session went', () => {
  it('is told as the context has it, at every version, and what was taken away is all that is gone', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(recallActs, async (acts) => {
        const { lab, act } = await played(acts);
        expect(act).toBe(acts.length);
        const { version } = (await lab.head()).state;
        for (let at = 1; at <= version; at += 1 + Math.floor(version / 12))
          await checkTraces(lab, at);
        await checkTraces(lab, version);
        await checkPins(lab);
        await checkParents(lab);
        await checkCovered(lab);
        for (const { version: seq } of await itemsOf(lab, lab.ref.session_id, version)) {
          const { history, state } = await traced(lab, seq);
          for (const { what } of history) seen.add(what);
          seen.add(state);
        }
        await lab.close();
        open.length = 0;
      }),
      {
        numRuns: RUNS,
        examples: [
          [FORK_OF_A_FORK],
          [PINS_IN_A_FORK_OF_A_FORK],
          [REVERT_AFTER_A_RETRY],
          [RETRY_OF_A_PIN],
          [CLEARED],
          [EXAMPLE],
        ],
      },
    );
    // The plays do reach what is checked.
    for (const what of ['forked', 'cleared', 'summarised', 'summarised_again', 'superseded']) {
      expect(seen, what).toContain(what);
    }
  });
});

async function played(acts: Parameters<RecallPlay['act']>[0][]) {
  const play = await RecallPlay.open();
  open.push(play.lab);
  let act = 0;
  for (const one of acts) {
    await play.act(one);
    act += 1;
  }
  return { lab: play.lab, act };
}
