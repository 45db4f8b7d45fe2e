import { groupBy } from '../group-by.ts';
import { codecFor } from '../items/codecs.ts';
import { inheritedLedger } from '../ledger/inherit.ts';
import type { Decide } from '../session/decision.ts';
import type { Entry } from '../session/entry.ts';
import { accept, reject } from '../session/errors.ts';
import type { EventData, NewEvent } from '../session/events.ts';
import type { Head, Settings } from '../session/head.ts';
import { type ResultEdit, savedBy } from '../session/result-edits.ts';
import { usageTokens } from '../tokens/measure.ts';
import type { View } from './view.ts';

/** What a fork is made of. */
type Parent = {
  session_id: string;
  settings: Settings;
  view: View;
  /** Usage figures that were reported before this version say nothing about the context any more. */
  compacted_version: number;
};

/**
 * Creates a fork (SPEC section 2): the same settings and initial context, what compactions had made of the past, and
 * the items after it in their original form with the edits in force, so that reading the fork
 * applies them again and its tool results stay readable, and what is pinned. Rejects: session_exists.
 */
export function forkSession(parent: Parent): Decide<Head> {
  return (head) => {
    if (head !== null) {
      return reject('session_exists', 'a session with this id already exists: choose another id');
    }
    const { entries, version } = parent.view;
    const made = entries.filter(
      ({ origin }) => origin !== 'initial' && origin !== 'pinned' && origin !== 'log',
    );
    const events: NewEvent[] = [
      {
        type: 'session.created',
        data: {
          ...parent.settings,
          initial_context: entries.filter(({ origin }) => origin === 'initial'),
        },
      },
      {
        type: 'session.forked',
        data: {
          parent_session_id: parent.session_id,
          parent_version: version,
          // The parent's numbers mean nothing in the log of the fork.
          entries: made.map((entry) => ({ ...entry, seq: null })),
          ...(parent.view.ledger !== null && {
            ledger: inheritedLedger(parent.view.ledger, parent.session_id),
          }),
        },
      },
    ];
    const edits = groupBy(parent.view.edits.values(), ({ seq }) => seq);
    const copies = new Map<number, number>();
    for (const entry of entries) {
      if (entry.origin !== 'log' || entry.seq === null) continue;
      const own = edits.get(entry.seq) ?? [];
      const version = events.length + 1;
      copies.set(entry.seq, version);
      events.push({
        type: 'item.appended',
        data: appendedData(parent, entry, entry.seq, own, version),
      });
    }
    const in_force: number[] = [];
    for (const { data } of parent.view.pins.added) {
      const pinned = pinnedData(parent.session_id, data, copies, edits);
      const version = events.length + 1;
      events.push({ type: 'pin.added', data: { ...pinned, in_force: [...in_force] } });
      in_force.push(version);
    }
    return accept({ events, value: (after) => after });
  };
}

function appendedData(
  { view, compacted_version }: Parent,
  entry: Entry,
  seq: number,
  edits: readonly ResultEdit[],
  newSeq: number,
): EventData['item.appended'] {
  const usage =
    seq > compacted_version ? usageTokens(codecFor(view.format).normalise(entry.item)) : undefined;
  return {
    item: view.originals.get(seq) ?? entry.item,
    // A pin in the fork keeps them from being applied there, too.
    tokens: entry.pinned ? entry.tokens - savedBy(edits) : entry.tokens,
    ...(usage === undefined ? {} : { usage }),
    ...(edits.length === 0 ? {} : { edits: edits.map((edit) => ({ ...edit, seq: newSeq })) }),
  };
}

/** The pin of a parent in its fork: of the copies of its items, or with items that nothing else holds. */
function pinnedData(
  session_id: string,
  pin: EventData['pin.added'],
  copies: ReadonlyMap<number, number>,
  edits: ReadonlyMap<number, readonly ResultEdit[]>,
): EventData['pin.added'] {
  const { pin_id, text, entries, of } = pin;
  const seqs = entries.flatMap(({ seq }) => seq ?? []);
  if (seqs.some((seq) => copies.has(seq))) {
    return {
      pin_id,
      text,
      seq: copies.get(pin.seq ?? 0) ?? null,
      entries: entries.map((entry) => ({ ...entry, seq: copies.get(entry.seq ?? 0) ?? null })),
      tokens_change: savedBy(seqs.flatMap((seq) => edits.get(seq) ?? [])),
      in_force: [],
    };
  }
  const source = seqs.length > 0 ? { session_id, seqs } : of;
  return {
    pin_id,
    text,
    seq: null,
    entries: entries.map((entry) => ({ ...entry, seq: null })),
    ...(source !== undefined && { of: source }),
    tokens_change: entries.reduce((sum, { tokens }) => sum + tokens, 0),
    in_force: [],
  };
}
