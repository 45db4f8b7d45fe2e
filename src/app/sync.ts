import { createHash } from 'node:crypto';
import type { Format } from '../domain/items/codecs.ts';
import { leadingInstructions } from '../domain/items/leading-instructions.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import { checkItems } from '../domain/session/check-items.ts';
import type { Decide } from '../domain/session/decision.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import type { Head, State } from '../domain/session/head.ts';
import type { Told } from '../domain/session/told.ts';
import { refuseUnexpected } from './append.ts';
import { defaultSession } from './create-session.ts';
import { findSession } from './find.ts';
import { forkCommand } from './fork.ts';
import { isWithin } from './load-view.ts';
import { ElsewhereError } from './ports/elsewhere-error.ts';
import type { SessionRef } from './ports/event-store.ts';
import { planSync, type SyncPlan } from './sync-plan.ts';
import type { Divergence, Done, Step, Sync, Synced, SyncPorts } from './synced.ts';
import { Telling } from './telling.ts';
import { BEGINNING } from './told-chain.ts';
import { type Base, type Written, writeSynced } from './write-synced.ts';

/** What others write at the same moment makes a sync look again, so often. */
const ATTEMPTS = 10;
/** A history may have been forked from a fork, so often. */
const MOST_FORKS = 32;

/**
 * Takes a client's whole history and appends what is new of it; creates the session when the id is new
 * (SPEC 2, section 22). A history with another past goes on in a fork, whose id follows from what
 * differs, so that the same history always finds the same one. Rejects: invalid_item, invalid_request
 * (another format), history_diverged, version_mismatch, invalid_config, idempotency_mismatch. Throws
 * ElsewhereError, with nothing written, where that is too much for this thread, and PartialTellingError
 * where more of the history has to be read than is at hand.
 */
export async function sync(
  deps: SyncPorts,
  ref: SessionRef,
  request: Sync,
): Promise<Outcome<Done>> {
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
  deps: SyncPorts,
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
  const telling = tellingOf(format, told, request);
  if (!telling.ok) return telling;
  const plan =
    head === null ? NEW : await planSync(deps, ref, { state: head.state, format }, telling.value);
  if (head !== null && request.is_excerpt === true && isBeginning(plan, telling.value)) {
    return accept(excerpt(ref, head, plan));
  }
  if (request.reads_context !== false || !isPlain(plan)) await refuseLarge(deps, ref);
  const base: Base = { ref, defaults: { ...settings, initial_context: [] }, divergence };
  if (plan.kind !== 'diverges') {
    const version = head?.state.version ?? 0;
    return writeSynced(deps, { ...base, version, first: null }, telling.value, plan, request);
  }
  return fork(deps, base, telling.value, plan, request);
}

/** Whether nothing of the context is read to write it. */
function isPlain(plan: SyncPlan): boolean {
  return plan.kind === 'follows' && plan.superseded.length === 0;
}

/** Throws ElsewhereError: the context is read in the end, when it is too late to begin elsewhere. */
async function refuseLarge({ store, largestHere }: SyncPorts, ref: SessionRef): Promise<void> {
  if (largestHere === undefined || (await isWithin(store, ref, largestHere))) return;
  throw new ElsewhereError();
}

/** What the client tells; items that it has told before are not checked again. Rejects: invalid_item. */
function tellingOf(
  format: Format,
  told: Told | null,
  { items: all, start = BEGINNING, telling: made, vary_after }: Sync,
): Outcome<Telling> {
  const items = withoutTrigger(all);
  if (items.every(isJsonObject)) {
    const isMade = made?.isOf(format, items, told, start) === true;
    const telling = isMade ? made : new Telling(format, items, told, start, vary_after);
    const varying = items.slice(0, leadingInstructions(items));
    const unchecked = [...varying, ...telling.itemsFrom(telling.known)];
    if (checkItems(format, 'items', unchecked).ok) return accept(telling);
  }
  const checked = checkItems(format, 'items', items);
  return reject(
    'invalid_item',
    `nothing was appended: the history does not fit the session's format "${format}"`,
    checked.ok ? [] : checked.errors,
  );
}

/** Whether the log holds all that is told, and goes on. */
function isBeginning(plan: SyncPlan, telling: Telling): boolean {
  if (plan.kind === 'compacted') return false;
  if (plan.kind === 'follows' && plan.superseded.length === 0) return false;
  return telling.piecesFrom(plan.known).every(({ atoms }) => atoms.every(({ isFirm }) => !isFirm));
}

function excerpt(
  ref: SessionRef,
  { state }: Head,
  plan: SyncPlan,
): Extract<Step, { kind: 'done' }> {
  const synced: Synced = {
    session_id: ref.session_id,
    version: endOf(ref, state, plan),
    matched: plan.known,
    appended: 0,
    superseded: [],
    is_compacted_by_client: false,
    divergence: null,
    compaction: null,
    advice: null,
    note: null,
  };
  return { kind: 'done', synced, replayed: false };
}

/** The version that a history stands at which the log begins with. */
function endOf({ session_id }: SessionRef, { version }: State, plan: SyncPlan): number {
  if (plan.kind === 'follows') return Math.min(version, ...plan.superseded.map((seq) => seq - 1));
  if (plan.kind === 'diverges' && plan.parent.session_id === session_id) return plan.at;
  return version;
}

const NEW: SyncPlan = { kind: 'follows', known: 0, rest: null, superseded: [] };

/** Goes on in a fork of the session, or in that which an earlier sync of this history has made. */
async function fork(
  deps: SyncPorts,
  { defaults, ref }: Base,
  telling: Telling,
  plan: Extract<SyncPlan, { kind: 'diverges' }>,
  request: Sync,
): Promise<Outcome<Step>> {
  const { parent, at, known, rest } = plan;
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
  const follows: SyncPlan = { kind: 'follows', known, rest, superseded: [] };
  return writeSynced(deps, target, telling, follows, request);
}

/**
 * What was answered to the same request before; null when it was not. The history has been appended
 * since, and perhaps more: compared again it would look like another one.
 */
async function keptAnswer(
  { store, clock }: SyncPorts,
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
