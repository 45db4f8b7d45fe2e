import { tokensWithout } from '../domain/context/pinned.ts';
import { sumTokens } from '../domain/context/view.ts';
import type { AppendItems } from '../domain/session/append-items.ts';
import type { Counted } from '../domain/session/counted.ts';
import type { Decide } from '../domain/session/decision.ts';
import { accept, type Outcome } from '../domain/session/errors.ts';
import type { Head } from '../domain/session/head.ts';
import {
  type CompactedByClient,
  type SyncHistory,
  syncHistory,
  within,
} from '../domain/session/sync-history.ts';
import { loadView } from './load-view.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { SyncPlan } from './sync-plan.ts';
import type { Divergence, Step, Sync, Synced, SyncPorts } from './synced.ts';
import type { Telling } from './telling.ts';
import { withCounts } from './tokenizer.ts';

/** The session that a history goes on in. */
export type Base = Pick<AppendItems, 'defaults'> & {
  ref: SessionRef;
  divergence: Divergence | null;
};

/** `first`: what creates the session, if something has to. */
type Target = Base & { version: number; first: Decide<Head> | null };

/** What is kept under the key of the request. */
export type Written = Synced & { cancelled: string | null };

/** Writes what is new of a history; looks again where somebody else was first. */
export async function writeSynced(
  deps: SyncPorts,
  { ref, defaults, divergence, version, first }: Target,
  telling: Telling,
  plan: Exclude<SyncPlan, { kind: 'diverges' }>,
  { idempotency }: Sync,
): Promise<Outcome<Step>> {
  const now = deps.clock.now();
  const at = now.toISOString();
  const compaction_id = deps.newId();
  const items = telling.newBehind(plan);
  const seqs = plan.kind === 'follows' ? plan.superseded : (plan.window?.superseded ?? []);
  const { superseded, unpinned } = await takenBack(deps, ref, seqs, version);
  const by_client =
    plan.kind === 'compacted' ? await compactedByClient(deps, ref, plan, version) : null;
  const ofSync = {
    session_id: ref.session_id,
    matched: plan.known,
    appended: items.length,
    superseded: superseded.map(({ seq }) => seq),
    is_compacted_by_client: by_client !== null,
    divergence,
  };
  const own = (by_client?.items ?? []).map(({ item }) => item);
  const posted = { items: [...own, ...items], defaults };
  const committed = await withCounts(deps, ref, posted, (counted?: Counted) => {
    const append: AppendItems = {
      items,
      defaults,
      counted,
      compaction_id,
      now_ms: now.getTime(),
      at,
      told: { index: items.length - 1, told: telling.told },
    };
    const command = syncHistory(deps.world, {
      expected_version: first === null ? version : null,
      superseded,
      unpinned,
      by_client,
      append: items.length === 0 ? null : append,
      counted,
      at,
    });
    const whole: Decide<Written> = within(first, command, at, (done) => ({
      ...ofSync,
      version: done.version,
      compaction: done.appended?.compaction ?? null,
      advice: done.appended?.advice ?? null,
      note: done.appended?.note ?? null,
      cancelled: done.cancelled,
    }));
    return deps.store.commit(ref, whole, idempotency === null ? { at } : { at, idempotency });
  });
  if (!committed.ok) {
    const { code } = committed.rejection;
    // Nobody else means these two here: what is expected was looked at before.
    const isOutrun = code === 'version_mismatch' || code === 'session_exists';
    return isOutrun ? accept({ kind: 'again' }) : committed;
  }
  const { value, replayed } = committed.value;
  const { cancelled, ...synced } = value;
  if (!replayed) {
    if (cancelled !== null) deps.cancelJob(cancelled);
    if (value.compaction?.id === compaction_id) deps.dispatch({ ref, compaction_id });
  }
  return accept({ kind: 'done', synced, replayed });
}

async function compactedByClient(
  { store }: SyncPorts,
  ref: SessionRef,
  { kept: items, summary_text, window }: Extract<SyncPlan, { kind: 'compacted' }>,
  version: number,
): Promise<CompactedByClient> {
  if (window === null) return { items, summary_text, window: null };
  const { after, superseded } = window;
  const gone = new Set(superseded);
  const view = await loadView(store, ref, version);
  const kept = (view?.entries ?? []).filter(
    ({ seq, pinned }) => seq !== null && seq > after && !gone.has(seq) && pinned !== true,
  );
  return { items, summary_text, window: { after, tokens: sumTokens(kept) } };
}

/** What the items count in the context, where they still stand in it, and the pins that end with them. */
export async function takenBack(
  { store }: Pick<SyncPorts, 'store'>,
  ref: SessionRef,
  seqs: readonly number[],
  version: number,
): Promise<Pick<SyncHistory, 'superseded' | 'unpinned'>> {
  if (seqs.length === 0) return { superseded: [], unpinned: [] };
  const view = await loadView(store, ref, version);
  const tokens = new Map(view?.entries.map((entry) => [entry.seq, entry.tokens]));
  const superseded = seqs.map((seq) => ({ seq, tokens: tokens.get(seq) ?? 0 }));
  const gone = new Set(seqs);
  const ended = (view?.pins.added ?? []).filter(({ data }) =>
    data.entries.some(({ seq }) => seq !== null && gone.has(seq)),
  );
  const unpinned = ended.map(({ data: { pin_id, entries } }) => {
    const others = entries.filter(({ seq }) => seq === null || !gone.has(seq));
    return { pin_id, tokens_change: view === null ? 0 : tokensWithout(others, view) };
  });
  return { superseded, unpinned };
}
