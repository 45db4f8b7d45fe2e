import { codecFor } from '../items/codecs.ts';
import { inheritedLedger } from '../ledger/inherit.ts';
import type { Decide } from '../session/decision.ts';
import type { Entry } from '../session/entry.ts';
import { accept, reject } from '../session/errors.ts';
import type { EventData, NewEvent } from '../session/events.ts';
import type { Head, Settings } from '../session/head.ts';
import type { ResultEdit } from '../session/result-edits.ts';
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
 * applies them again and its tool results stay readable. Rejects: session_exists.
 */
export function forkSession(parent: Parent): Decide<Head> {
  return (head) => {
    if (head !== null) {
      return reject('session_exists', 'a session with this id already exists: choose another id');
    }
    const { entries, version } = parent.view;
    const made = entries.filter(({ origin }) => origin !== 'initial' && origin !== 'log');
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
    const edits = new Map<number, ResultEdit[]>();
    for (const edit of parent.view.edits.values()) {
      const own = edits.get(edit.seq);
      if (own === undefined) edits.set(edit.seq, [edit]);
      else own.push(edit);
    }
    for (const entry of entries) {
      if (entry.origin !== 'log' || entry.seq === null) continue;
      const own = edits.get(entry.seq) ?? [];
      const data = appendedData(parent, entry, entry.seq, own, events.length + 1);
      events.push({ type: 'item.appended', data });
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
    tokens: entry.tokens,
    ...(usage === undefined ? {} : { usage }),
    ...(edits.length === 0 ? {} : { edits: edits.map((edit) => ({ ...edit, seq: newSeq })) }),
  };
}
