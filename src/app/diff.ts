import { sumTokens, type View } from '../domain/context/view.ts';
import { sessionNotFound } from '../domain/session/create-session.ts';
import type { Entry } from '../domain/session/entry.ts';
import { accept, reject } from '../domain/session/errors.ts';
import { endedMeanwhile } from '../domain/session/proposal-commands.ts';
import { type ResultEdit, savedBy } from '../domain/session/result-edits.ts';
import { withoutContent } from './compaction-detail.ts';
import { findCompaction, findSession } from './find.ts';
import { loadAroundHere } from './load-view.ts';
import type { CompactionRow, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { findProposal } from './proposal.ts';

/**
 * The context before and after an ended compaction (SPEC section 2): the views on both sides of its
 * last event, which is the only one that can have changed the context. Of an open proposal: now, and as
 * it would be. Rejects: session_not_found, compaction_not_found, compaction_not_ended.
 */
export async function diff(
  ports: Pick<Ports, 'store' | 'largestHere'>,
  ref: SessionRef,
  id: string,
) {
  const found = await findCompaction(ports.store, ref, id);
  return found.ok ? diffOf(ports, ref, found.value) : found;
}

/** The same of a compaction that was found. Rejects: session_not_found, compaction_not_ended. */
export async function diffOf(
  ports: Pick<Ports, 'store' | 'largestHere'>,
  ref: SessionRef,
  { id, status, outcome, ended_version }: CompactionRow,
) {
  if (ended_version === null) {
    return reject(
      'compaction_not_ended',
      `the compaction is ${status}: ask again when its status is "ended"`,
    );
  }
  if (outcome === 'proposed') return proposedDiff(ports, ref, id);
  const last = { at: ended_version, proposal: null };
  const views = await loadAroundHere(ports, ref, ended_version - 1, last);
  // Erased since the row was read.
  return views === null ? sessionNotFound() : accept(shown(ref, id, views.before, views.after));
}

/** What a proposal would make of the context as it is now. */
async function proposedDiff(
  ports: Pick<Ports, 'store' | 'largestHere'>,
  ref: SessionRef,
  id: string,
) {
  const found = await findProposal(ports.store, ref, id);
  if (!found.ok) return found;
  const session = await findSession(ports.store, ref);
  if (!session.ok) return session;
  const { version } = session.value.state;
  const { candidate } = found.value.proposed.data;
  const applied = { at: version, proposal: { id, candidate } };
  const views = await loadAroundHere(ports, ref, version, applied);
  if (views === null) return endedMeanwhile();
  return accept(shown(ref, id, views.before, { ...views.after, version: version + 1 }));
}

function shown({ session_id }: SessionRef, id: string, before: View, after: View) {
  const parts = compare(before, after);
  return {
    session_id,
    compaction_id: id,
    before_version: before.version,
    after_version: after.version,
    kept: parts.kept.map(withoutItem),
    cleared: parts.cleared.map(withoutContent),
    removed: parts.removed.map((entry) => ({ ...withoutItem(entry), item: entry.item })),
    added: parts.added.map((entry) => ({ ...withoutItem(entry), item: entry.item })),
    tokens: {
      before: sumTokens(before.entries),
      after: sumTokens(after.entries),
      kept: sumTokens(parts.kept),
      cleared: savedBy(parts.cleared),
      removed: sumTokens(parts.removed),
      added: sumTokens(parts.added),
    },
  };
}

type Parts = {
  /** As they are afterwards; a kept one may hold cleared results. */
  kept: Entry[];
  cleared: ResultEdit[];
  removed: Entry[];
  added: Entry[];
};

function compare(before: View, after: View): Parts {
  const parts: Parts = { kept: [], cleared: [], removed: [], added: [] };
  // Thousands of entries can have one key: what is taken of them is only counted.
  const earlier = new Map<Key, { entries: Entry[]; taken: number }>();
  for (const entry of before.entries) {
    const key = keyOf(entry);
    const same = earlier.get(key);
    if (same === undefined) earlier.set(key, { entries: [entry], taken: 0 });
    else same.entries.push(entry);
  }
  const keptSeqs = new Set<number>();
  for (const entry of after.entries) {
    const same = earlier.get(keyOf(entry));
    if (same !== undefined && same.taken < same.entries.length) {
      same.taken += 1;
      parts.kept.push(entry);
      if (entry.seq !== null) keptSeqs.add(entry.seq);
    } else parts.added.push(entry);
  }
  parts.removed = [...earlier.values()].flatMap(({ entries, taken }) => entries.slice(taken));
  for (const [key, edit] of after.edits) {
    const isNew = before.edits.get(key)?.content !== edit.content;
    if (isNew && keptSeqs.has(edit.seq)) parts.cleared.push(edit);
  }
  return parts;
}

/** Items of the log are known by their number, what a compaction made by its content. */
type Key = number | string;

function keyOf({ seq, item }: Entry): Key {
  return seq ?? JSON.stringify(item);
}

function withoutItem({ seq, origin, tokens }: Entry) {
  return { seq, origin, tokens };
}
