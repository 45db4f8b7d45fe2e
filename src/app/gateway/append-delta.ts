import type { Item } from '../../domain/items/item.ts';
import { accept, type Outcome, reject } from '../../domain/session/errors.ts';
import { append } from '../append.ts';
import { findSession } from '../find.ts';
import type { SessionRef } from '../ports/event-store.ts';
import { askAgain } from './ask-again.ts';
import { beginBranch, hasMovedOn } from './branches.ts';
import type { Delta } from './find-turn-session.ts';
import { hashed } from './history-keys.ts';
import type { PlanDeps } from './plan-deps.ts';

type Place = { session_id: string; version: number };

/** The same request may have been answered so often: each time it is asked again begins a branch. */
const MOST_BRANCHES = 32;
/** What others write at the same moment makes it look again, so often. */
const ATTEMPTS = 10;

/**
 * Appends the items of a request that go on from an answer. Where the log has gone on from there by other
 * items, or by an answer to these, they go into a fork that ends with that answer, as what the provider
 * reads does. Asked again before it is answered, it is not appended again; an answer that broke off is
 * none. Rejects what an append and a fork reject. Throws ElsewhereError.
 */
export async function appendDelta(
  deps: PlanDeps,
  parent: SessionRef,
  { answer_id, version }: Delta,
  items: readonly Item[],
): Promise<Outcome<Place>> {
  if (items.length === 0) return emptyDelta(deps, parent, version);
  const fingerprint = hashed(JSON.stringify(items));
  const key = hashed('delta', answer_id, fingerprint);
  const delta = { items, idempotency: { key, fingerprint } };
  let place: Place | null = null;
  let [ref, end] = [parent, version];
  for (let branches = 0; branches < MOST_BRANCHES; branches++) {
    const done = await appendBehind(deps, ref, end, delta);
    if (!done.ok) return done;
    if (done.value.isOpen) return accept(done.value.place);
    place = done.value.place;
    // Of an answer that an older version has noted it is not known where it stands.
    if (version === null) break;
    const begun = await beginBranch(deps, parent, version, `${key} ${branches}`);
    if (!begun.ok) return begun;
    ref = begun.value;
    end = null;
  }
  return place === null
    ? reject('version_mismatch', 'this request was answered too often: go on from an answer')
    : accept(place);
}

/** `isOpen`: nothing was said behind these items yet. `place` null: they are not in it. */
type Appended = { isOpen: boolean; place: Place } | { isOpen: false; place: null };

type NewItems = { items: readonly Item[]; idempotency: { key: string; fingerprint: string } };

/**
 * Appends where nothing was said since a version of the log, or only what these items ask again; null:
 * wherever it ends.
 */
async function appendBehind(
  deps: PlanDeps,
  ref: SessionRef,
  end: number | null,
  { items, idempotency }: NewItems,
): Promise<Outcome<Appended>> {
  const { session_id } = ref;
  let expected = end;
  for (let attempt = 0; ; attempt++) {
    const done = await append(deps, ref, {
      items,
      expected: expected === null ? null : { kind: 'version', version: expected },
      idempotency,
      wait: null,
    });
    if (done.ok) {
      const { appended, replayed } = done.value;
      const place = { session_id, version: appended.version };
      return replayed ? behindTheSame(deps, ref, place) : accept({ isOpen: true, place });
    }
    if (done.rejection.code !== 'version_mismatch' || end === null) return done;
    if (await hasMovedOn(deps, ref, end)) {
      const again = await askAgain(deps, ref, end, items);
      if (!again.ok) return again;
      if (again.value === null) return accept({ isOpen: false, place: null });
      return accept({ isOpen: true, place: { session_id, version: again.value } });
    }
    if (attempt === ATTEMPTS) return done;
    const found = await findSession(deps.store, ref);
    if (!found.ok) return found;
    expected = found.value.state.version;
  }
}

/** The same items were appended before, up to this place. */
async function behindTheSame(
  deps: PlanDeps,
  ref: SessionRef,
  place: Place,
): Promise<Outcome<Appended>> {
  if (!(await hasMovedOn(deps, ref, place.version))) return accept({ isOpen: true, place });
  const again = await askAgain(deps, ref, place.version, []);
  if (!again.ok) return again;
  if (again.value === null) return accept({ isOpen: false, place });
  return accept({ isOpen: true, place: { ...place, version: again.value } });
}

/** Nothing is new: the context is that which ends with the answer. */
async function emptyDelta(
  deps: PlanDeps,
  ref: SessionRef,
  version: number | null,
): Promise<Outcome<Place>> {
  const { session_id } = ref;
  if (version !== null && (await hasMovedOn(deps, ref, version))) {
    return accept({ session_id, version });
  }
  const found = await findSession(deps.store, ref);
  return found.ok ? accept({ session_id, version: found.value.state.version }) : found;
}
