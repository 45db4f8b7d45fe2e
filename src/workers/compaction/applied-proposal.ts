import { attemptTerms } from '../../app/attempt-terms.ts';
import { lastEvent } from '../../app/last-event.ts';
import { ownEvents } from '../../app/own-events.ts';
import type { SessionRef } from '../../app/ports/event-store.ts';
import type { Base } from '../../domain/session/events.ts';
import { type Ended, postCompact } from '../hooks/compaction-hooks.ts';
import type { WorkerDependencies } from './dependencies.ts';

type Dependencies = Pick<
  WorkerDependencies,
  'store' | 'now' | 'random' | 'hooks' | 'fetch' | 'world' | 'prepare' | 'observe'
>;

/**
 * Calls the PostCompact hooks of the proposal that was applied last, if the context is built on it and
 * none of them has been called (SPEC sections 16 and 20): the worker that made it could not.
 */
export async function afterApplying(
  deps: Dependencies,
  ref: SessionRef,
  signal: AbortSignal,
): Promise<void> {
  if (!deps.hooks.some(({ event }) => event === 'PostCompact')) return;
  const head = await deps.store.head(ref);
  const base = head?.state.base ?? null;
  const applied = head && base && (await appliedProposal(deps, ref, base));
  if (applied) await postCompact(deps, { ...applied, ref, head }, signal);
}

async function appliedProposal(
  { store, world, prepare }: Dependencies,
  ref: SessionRef,
  base: Base,
): Promise<Omit<Ended, 'ref' | 'head'> | null> {
  const row = base.compaction_id === null ? null : await store.compaction(ref, base.compaction_id);
  if (row === null) return null;
  const events = await ownEvents(store, ref, row);
  const requested = lastEvent(events, 'compaction.requested');
  const started = lastEvent(events, 'compaction.started');
  const isTold = events.some(
    ({ type, data }) => type === 'hook.ran' && data.event === 'PostCompact',
  );
  if (requested?.data.propose !== true || started === null || isTold) return null;
  const terms = await attemptTerms(store, ref, started, world);
  if (terms === null) return null;
  await prepare(terms.config);
  // It was put in place then, whenever it was asked for.
  const requested_version = base.version;
  return { running: row, request: requested.data, terms, requested_version };
}
