import type { EventStore, SessionRef } from '../db/event-store.ts';
import { loadView } from '../db/load-view.ts';
import type { Entry } from '../domain/context/entry.ts';
import type { View } from '../domain/context/view.ts';
import { codecFor } from '../domain/items/codecs.ts';
import { usageTokens } from '../domain/items/measure.ts';
import type { Decide } from '../domain/session/decision.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import type { EventData, NewEvent, ResultEdit } from '../domain/session/events.ts';
import type { Head, Settings } from '../domain/session/head.ts';

/** What a fork is made of. */
type Parent = {
  session_id: string;
  settings: Settings;
  view: View;
  /** Usage figures that were reported before this version say nothing about the context any more. */
  compacted_version: number;
};

/** Events that change a context by other means than appending. */
const CONTEXT_CHANGES = [
  'compaction.micro_completed',
  'compaction.completed',
  'compaction.reverted',
  'session.forked',
] as const;

/**
 * The command that creates a session whose context equals the parent's at `at` (SPEC section 2).
 * Rejects: version_not_found; the command: session_exists.
 */
export async function forkCommand(
  store: EventStore,
  parent: SessionRef,
  head: Head,
  at: number,
): Promise<Outcome<Decide<Head>>> {
  const view = await loadView(store, parent, at);
  if (view === null) {
    return reject(
      'version_not_found',
      `the session is at version ${head.state.version}: "at" must be a version from 1 to that`,
    );
  }
  const [changed] = await store.events(parent, {
    types: CONTEXT_CHANGES,
    up_to: at,
    newest_first: true,
    limit: 1,
  });
  return accept(
    forkSession({
      session_id: parent.session_id,
      settings: head.settings,
      view,
      compacted_version: changed?.version ?? 0,
    }),
  );
}

/**
 * Creates the fork: the same settings and initial context, what compactions had made of the past, and
 * the items behind it in their original form with the edits in force, so that reading the fork
 * applies them again and its tool results stay readable.
 */
function forkSession(parent: Parent): Decide<Head> {
  return (head) => {
    if (head !== null) {
      return reject('session_exists', 'a session with this id exists: choose another id');
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
        },
      },
    ];
    const edits = new Map<number, ResultEdit[]>();
    for (const edit of parent.view.edits.values()) {
      edits.set(edit.seq, [...(edits.get(edit.seq) ?? []), edit]);
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
