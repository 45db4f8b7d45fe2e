import { createHash } from 'node:crypto';
import { tokensWithout } from '../domain/context/pinned.ts';
import type { Format } from '../domain/items/codecs.ts';
import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import type { AppendItems } from '../domain/session/append-items.ts';
import { checkItems } from '../domain/session/check-items.ts';
import type { Counted } from '../domain/session/counted.ts';
import type { Decide } from '../domain/session/decision.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import type { Head } from '../domain/session/head.ts';
import {
  type SyncedHistory,
  type SyncHistory,
  syncHistory,
  within,
} from '../domain/session/sync-history.ts';
import type { Told } from '../domain/session/told.ts';
import { type Expected, refuseUnexpected } from './append.ts';
import { defaultSession } from './create-session.ts';
import { findSession } from './find.ts';
import { forkCommand } from './fork.ts';
import { isWithin, loadView } from './load-view.ts';
import { ElsewhereError } from './ports/elsewhere-error.ts';
import type { Idempotency, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { planSync, type SyncPlan } from './sync-plan.ts';
import { Telling } from './telling.ts';
import { withCounts } from './tokenizer.ts';

export type Sync = {
  /** The client's whole history, unchecked; at least one item. */
  items: readonly Json[];
  /** What the items are written in; by default what the session is. */
  format: Format | undefined;
  on_divergence: 'fork' | 'reject';
  expected: Expected | null;
  idempotency: Idempotency | null;
};

/** Where a history with another past goes on; `index` is the first item that the parent does not have. */
export type Divergence = {
  session_id: string;
  parent_session_id: string;
  parent_version: number;
  index: number;
};

/** `matched` and `appended` together are the items of the client, but for a compaction trigger. */
export type Synced = {
  session_id: string;
  version: number;
  matched: number;
  appended: number;
  /** Items of the log that the client does not have: they stand in the context no more. */
  superseded: number[];
  /** The client has compacted its history since the last time. */
  is_compacted_by_client: boolean;
  divergence: Divergence | null;
} & Pick<NonNullable<SyncedHistory['appended']>, 'compaction' | 'advice' | 'note'>;

type Deps = Pick<
  Ports,
  'store' | 'largestHere' | 'world' | 'dispatch' | 'cancelJob' | 'clock' | 'newId' | 'loadTokenizer'
>;

type Done = { synced: Synced; replayed: boolean };
type Step =
  | ({ kind: 'done' } & Done)
  /** Somebody else has written to the session in between. */
  | { kind: 'again' }
  /** There is a fork already that the history may go on in. */
  | { kind: 'forked'; divergence: Divergence };

/** What others write at the same moment makes a sync look again, so often. */
const ATTEMPTS = 10;
/** A history may have been forked from a fork, so often. */
const MOST_FORKS = 32;

/**
 * Takes a client's whole history and appends what is new of it; creates the session when the id is new
 * (SPEC 2, section 22). A history with another past goes on in a fork, whose id follows from what
 * differs, so that the same history always finds the same one. Rejects: invalid_item, invalid_request
 * (another format), history_diverged, version_mismatch, invalid_config, idempotency_mismatch. Throws
 * ElsewhereError, with nothing written, where that is too much for this thread.
 */
export async function sync(deps: Deps, ref: SessionRef, request: Sync): Promise<Outcome<Done>> {
  let divergence: Divergence | null = null;
  let asked = request;
  for (let attempts = 0, forks = 0; attempts < ATTEMPTS && forks < MOST_FORKS; ) {
    const own = { tenant: ref.tenant, session_id: divergence?.session_id ?? ref.session_id };
    const step: Outcome<Step> = await trySync(deps, own, asked, divergence);
    if (!step.ok) return step;
    if (step.value.kind === 'done') return accept(step.value);
    if (step.value.kind === 'again') {
      attempts += 1;
      continue;
    }
    divergence = step.value.divergence;
    // The version that the client expects is that of the session which it has named.
    asked = { ...request, expected: null };
    forks += 1;
  }
  return reject(
    'version_mismatch',
    'the session is written to without a break, so that its history cannot be compared: sync it again',
  );
}

async function trySync(
  deps: Deps,
  ref: SessionRef,
  request: Sync,
  divergence: Divergence | null,
): Promise<Outcome<Step>> {
  const { store } = deps;
  const head = await store.head(ref);
  const kept = await keptAnswer(deps, ref, request);
  if (kept !== null) return kept;
  const unexpected = refuseUnexpected(head, request.expected);
  if (unexpected !== null) return unexpected;
  const settings = head?.settings ?? { ...defaultSession(), format: request.format ?? 'anthropic' };
  const { format } = settings;
  if (request.format !== undefined && request.format !== format)
    return otherFormat(format, request.format);
  const told = head?.state.told ?? null;
  const telling = tellingOf(format, withoutTrigger(request.items), told);
  if (!telling.ok) return telling;
  const plan =
    head === null ? NEW : await planSync(deps, ref, { state: head.state, format }, telling.value);
  await refuseLarge(deps, ref);
  const base: Base = { ref, defaults: { ...settings, initial_context: [] }, divergence };
  if (plan.kind !== 'diverges') {
    const version = head?.state.version ?? 0;
    return write(deps, { ...base, version, first: null }, telling.value, plan, request);
  }
  return fork(deps, base, telling.value, plan, request);
}

/** Throws ElsewhereError: the context is read in the end, when it is too late to begin elsewhere. */
async function refuseLarge({ store, largestHere }: Deps, ref: SessionRef): Promise<void> {
  if (largestHere === undefined || (await isWithin(store, ref, largestHere))) return;
  throw new ElsewhereError();
}

/** What the client tells; items that it has told before are not checked again. Rejects: invalid_item. */
function tellingOf(format: Format, items: readonly Json[], told: Told | null): Outcome<Telling> {
  if (items.every(isJsonObject)) {
    const telling = new Telling(format, items, told);
    if (checkItems(format, 'items', items.slice(telling.known)).ok) return accept(telling);
  }
  const checked = checkItems(format, 'items', items);
  return reject(
    'invalid_item',
    `nothing was appended: the history does not fit the session's format "${format}"`,
    checked.ok ? [] : checked.errors,
  );
}

const NEW: SyncPlan = { kind: 'follows', known: 0, superseded: [] };

type Base = Pick<AppendItems, 'defaults'> & { ref: SessionRef; divergence: Divergence | null };

/** Goes on in a fork of the session, or in that which an earlier sync of this history has made. */
async function fork(
  deps: Deps,
  { defaults, ref }: Base,
  telling: Telling,
  plan: Extract<SyncPlan, { kind: 'diverges' }>,
  request: Sync,
): Promise<Outcome<Step>> {
  const { parent, at, known } = plan;
  if (request.on_divergence === 'reject') return diverged(plan, request.items.length);
  const own = { tenant: ref.tenant, session_id: forkId(plan, telling) };
  const divergence: Divergence = {
    session_id: own.session_id,
    parent_session_id: parent.session_id,
    parent_version: at,
    index: known,
  };
  if ((await deps.store.head(own)) !== null) return accept({ kind: 'forked', divergence });
  const found = await findSession(deps.store, parent);
  if (!found.ok) return found;
  const first = await forkCommand(deps, parent, found.value, at);
  if (!first.ok) return first;
  const target = { ref: own, defaults, divergence, version: 0, first: first.value };
  return write(deps, target, telling, { kind: 'follows', known, superseded: [] }, request);
}

/** `first`: what creates the session, if something has to. */
type Target = Base & { version: number; first: Decide<Head> | null };

async function write(
  deps: Deps,
  { ref, defaults, divergence, version, first }: Target,
  telling: Telling,
  plan: Exclude<SyncPlan, { kind: 'diverges' }>,
  { idempotency }: Sync,
): Promise<Outcome<Step>> {
  const now = deps.clock.now();
  const at = now.toISOString();
  const compaction_id = deps.newId();
  const items = telling.items.slice(plan.known);
  const by_client = plan.kind === 'compacted' ? compactedItems(telling, plan) : null;
  const { superseded, unpinned } =
    plan.kind === 'follows'
      ? await takenBack(deps, ref, plan.superseded, version)
      : { superseded: [], unpinned: [] };
  const ofSync = {
    session_id: ref.session_id,
    matched: plan.known,
    appended: items.length,
    superseded: superseded.map(({ seq }) => seq),
    is_compacted_by_client: by_client !== null,
    divergence,
  };
  const posted = { items: [...(by_client?.items ?? []), ...items], defaults };
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

type Written = Synced & { cancelled: string | null };

/** The items that stand for everything before, without those that the session began with. */
function compactedItems(
  telling: Telling,
  { by_client, without }: Extract<SyncPlan, { kind: 'compacted' }>,
): { items: Item[]; summary_text: string } {
  const items = telling.items.slice(0, by_client.items).filter((_, index) => !without.has(index));
  return { items, summary_text: by_client.summary_text };
}

/** What the items count in the context, where they still stand in it, and the pins that end with them. */
async function takenBack(
  { store }: Deps,
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

/**
 * What was answered to the same request before; null when it was not. The history has been appended
 * since, and perhaps more: compared again it would look like another one.
 */
async function keptAnswer(
  { store, clock }: Deps,
  ref: SessionRef,
  { idempotency }: Sync,
): Promise<Outcome<Step> | null> {
  if (idempotency === null) return null;
  const options = { at: clock.now().toISOString(), idempotency };
  const nothing: Decide<Written> = () => reject('not_found', 'nothing is kept under this key');
  const kept = await store.commit(ref, nothing, options);
  if (!kept.ok) return kept.rejection.code === 'not_found' ? null : kept;
  const { cancelled: _, ...synced } = kept.value.value;
  return accept({ kind: 'done', synced, replayed: true });
}

/** What a request ends with that asks its provider for a compaction is no part of the history. */
function withoutTrigger(items: readonly Json[]): readonly Json[] {
  const last = items.at(-1);
  const isAsked = isJsonObject(last) && last.type === 'compaction_trigger' && items.length > 1;
  return isAsked ? items.slice(0, -1) : items;
}

/** The same for the same history, and at most as long as an id may be. */
function forkId({ parent, at, known }: Extract<SyncPlan, { kind: 'diverges' }>, telling: Telling) {
  const differs = telling.piecesFrom(known)[0]?.atoms.map(({ text }) => text) ?? [];
  const hash = createHash('sha256').update(JSON.stringify([parent.session_id, at, differs]));
  return `${parent.session_id.slice(0, 100)}-${hash.digest('hex').slice(0, 16)}`;
}

function otherFormat(format: Format, asked: Format): Outcome<never> {
  return reject(
    'invalid_request',
    `the session has the format "${format}", and the history was sent as "${asked}": send it as ` +
      `"${format}", or to another session`,
    [{ path: 'format', message: `must be "${format}", or left out` }],
  );
}

function diverged(
  { known, parent, at }: Extract<SyncPlan, { kind: 'diverges' }>,
  items: number,
): Outcome<never> {
  const what =
    known < items
      ? `item ${known} is not what the session has there`
      : `it ends after ${known} items, and the session goes on`;
  return reject(
    'history_diverged',
    `the history is another one than that of session "${parent.session_id}" after version ${at}: ` +
      `${what}. Nothing was appended: send "on_divergence": "fork" to go on in a fork`,
    known < items
      ? [{ path: `items.${known}`, message: 'this is not what the session has there' }]
      : [],
  );
}
