import { ledgersOf } from '../domain/compaction/ledgers-of.ts';
import { materialOf } from '../domain/compaction/material.ts';
import type { View } from '../domain/context/view.ts';
import { type Fact, factsOf } from '../domain/ledger/facts.ts';
import { sessionNotFound } from '../domain/session/create-session.ts';
import { accept } from '../domain/session/errors.ts';
import { findSession } from './find.ts';
import { foldHere, foldLedger } from './fold-ledger.ts';
import { loadViewHere } from './load-view.ts';
import { ElsewhereError } from './ports/elsewhere-error.ts';
import type { EventStore, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

type FactFilter = { [part in 'kind' | 'state' | 'source']?: Fact[part] | undefined };

/**
 * What the log of a session says that a successor needs (SPEC 2, section 25): the facts that fit the
 * filter, each with the item where it was said. Rejects: session_not_found.
 */
export async function readLedger(
  ports: Pick<Ports, 'store' | 'largestHere'>,
  ref: SessionRef,
  filter: FactFilter,
) {
  const found = await findSession(ports.store, ref);
  if (!found.ok) return found;
  const { version } = found.value.state;
  const view = await loadViewHere(ports, ref, version);
  // Erased since the head was read.
  if (view === null) return sessionNotFound();
  foldHere(ports, view);
  const known = await withLedgerHere(ports, ref, view);
  const { standing } = ledgersOf(known, materialOf(known), version);
  const facts = factsOf(standing).filter((fact) => fits(fact, filter));
  const { epochs, condensed } = standing;
  return accept({ session_id: ref.session_id, version, facts, epochs, condensed });
}

function fits(fact: Fact, { kind, state, source }: FactFilter): boolean {
  return (
    (kind === undefined || fact.kind === kind) &&
    (state === undefined || fact.state === state) &&
    (source === undefined || fact.source === source)
  );
}

/** The context with the ledger of what it is built on: folded from the log where none was stored. */
export async function withLedger(store: EventStore, ref: SessionRef, view: View): Promise<View> {
  if (view.ledger !== null || view.base === null) return view;
  return { ...view, ledger: await foldLedger(store, ref, view.format, view.base.through) };
}

/**
 * The same in the thread that answers all requests. Throws ElsewhereError where a ledger would have to be
 * folded from the log, which may be long where the context is not.
 */
export async function withLedgerHere(
  { store, largestHere }: Pick<Ports, 'store' | 'largestHere'>,
  ref: SessionRef,
  view: View,
): Promise<View> {
  const known = view.ledger !== null || view.base === null;
  if (!known && largestHere !== undefined) throw new ElsewhereError();
  return withLedger(store, ref, view);
}
