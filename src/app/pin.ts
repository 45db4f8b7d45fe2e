import { pinnedItems } from '../domain/context/pinned.ts';
import { standingOf, takerOf } from '../domain/context/standing.ts';
import { sessionNotFound } from '../domain/session/create-session.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import type { Head } from '../domain/session/head.ts';
import {
  type AddedPin,
  type AddPin,
  addPin,
  changedMeanwhile,
} from '../domain/session/pin-commands.ts';
import { pinOf } from '../domain/session/pins.ts';
import { eventAt } from './event-at.ts';
import { findSession } from './find.ts';
import { type PinShown, shownPins } from './list-pins.ts';
import { loadViewHere } from './load-view.ts';
import type { Idempotency, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { readHere } from './read-here.ts';
import { Lineage } from './recall/lineage.ts';
import { levelsOf } from './session-state.ts';
import { withTokenizer } from './tokenizer.ts';

/** What is to be pinned: a text of one's own, or an item of the session. */
export type PinWish = { text: string } | { seq: number };

type Deps = Pick<Ports, 'store' | 'largestHere' | 'world' | 'clock' | 'newId' | 'loadTokenizer'>;

/** What others write at the same moment makes a pin look again, so often. */
const ATTEMPTS = 10;

/**
 * Pins a text or an item with what it cannot stand without (SPEC section 20). What is pinned already is
 * not pinned twice. Rejects: session_not_found, not_found (no such item), not_pinnable,
 * idempotency_mismatch, version_mismatch. Throws ElsewhereError, with nothing written.
 */
export async function pin(
  deps: Deps,
  ref: SessionRef,
  wish: PinWish,
  idempotency: Idempotency | null,
) {
  const pin_id = deps.newId();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const found = await findSession(deps.store, ref);
    if (!found.ok) return found;
    const what = await whatOf(readHere(deps), ref, wish, found.value);
    if (!what.ok) return what;
    const { compacted_version } = found.value.state;
    const command = { pin_id, what: what.value, compacted_version };
    const written = await write(deps, ref, command, idempotency);
    if (written.ok || written.rejection.code !== 'version_mismatch') return written;
  }
  return changedMeanwhile();
}

async function write(
  deps: Deps,
  ref: SessionRef,
  command: AddPin,
  idempotency: Idempotency | null,
) {
  const { store, world } = deps;
  const at = deps.clock.now().toISOString();
  const options = idempotency === null ? { at } : { at, idempotency };
  const committed = await withTokenizer(deps, ref, () =>
    store.commit(
      ref,
      (head) => {
        const decided = addPin(world, command)(head);
        if (!decided.ok) return decided;
        const { events, value } = decided.value;
        return accept({ events, value: (after: Head) => shownOf(value(after), deps) });
      },
      options,
    ),
  );
  if (!committed.ok) return committed;
  const { value, replayed } = committed.value;
  const pins = await shownPins(store, ref, [value.version_of_pin]);
  const [shown] = pins;
  const { version, context } = value;
  if (shown === undefined) return sessionNotFound();
  return accept({ pinned: { pin: shown satisfies PinShown, version, context }, replayed });
}

function shownOf({ pin_id, head }: AddedPin, { world }: Pick<Deps, 'world'>) {
  const { version, pins } = head.state;
  const version_of_pin = pins.all.find(({ id }) => id === pin_id)?.version ?? version;
  return { version, version_of_pin, context: levelsOf(head, world) };
}

async function whatOf(
  deps: Deps,
  ref: SessionRef,
  wish: PinWish,
  { state }: Head,
): Promise<Outcome<AddPin['what']>> {
  if ('text' in wish) return accept({ kind: 'text', text: wish.text });
  const { seq } = wish;
  const nothing = { seq, entries: [], tokens_change: 0 };
  if (pinOf(state.pins, seq) !== null) return accept({ kind: 'items', items: nothing });
  const event = seq > state.version ? undefined : await eventAt(deps.store, ref, seq);
  if (event?.type !== 'item.appended') {
    return reject('not_found', `there is no item ${seq}: GET …/items lists the items`);
  }
  const lineage = await Lineage.open(deps.store, ref);
  if (!lineage.ok) return lineage;
  const standings = await lineage.value.standings(0);
  if (standingOf(standings, event, null).state === null) {
    return reject(
      'not_pinnable',
      event.data.excluded === undefined
        ? `item ${seq} was taken back by the client: pin what stands in its place`
        : `item ${seq} was a command to the service, and never stood in the context`,
    );
  }
  const taker = takerOf(standings.chain, seq);
  const now = await loadViewHere(deps, ref, state.version);
  // As it stood there before it was covered.
  const then = taker === undefined ? now : await loadViewHere(deps, ref, taker.version - 1);
  if (now === null || then === null) return sessionNotFound();
  const items = pinnedItems(seq, then, now);
  return items.ok ? accept({ kind: 'items', items: items.value }) : items;
}
