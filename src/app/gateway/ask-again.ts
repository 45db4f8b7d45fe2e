import { canonicalJson } from '../../domain/canonical-json.ts';
import { supersededSeqs } from '../../domain/context/view.ts';
import type { Item } from '../../domain/items/item.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { syncHistory } from '../../domain/session/sync-history.ts';
import { defaultSession } from '../create-session.ts';
import { findSession } from '../find.ts';
import type { SessionRef } from '../ports/event-store.ts';
import { withCounts } from '../tokenizer.ts';
import { takenBack } from '../write-synced.ts';
import type { PlanDeps } from './plan-deps.ts';

/** What others write at the same moment makes it look again, so often. */
const ATTEMPTS = 10;

/**
 * Goes on behind `after` with these items where the log has nothing from there on but the first of them,
 * asked before, and answers that broke off: those are taken back, and the rest of the items is appended.
 * Answers the version then; null where something else was said, or what was before was taken back.
 * Rejects what an append rejects.
 */
export async function askAgain(
  deps: PlanDeps,
  ref: SessionRef,
  after: number,
  items: readonly Item[],
): Promise<Outcome<number | null>> {
  for (let attempt = 0; ; attempt++) {
    const change = await changeTo(deps, ref, after, items);
    if (!change.ok) return change;
    if (change.value === null) return accept(null);
    const { version, broken, rest } = change.value;
    if (broken.length === 0 && rest.length === 0) return accept(version);
    const done = await write(deps, ref, change.value);
    if (done.ok || done.rejection.code !== 'version_mismatch' || attempt === ATTEMPTS) return done;
  }
}

/** `version`: of the log that this was found out at; `broken`: the items of answers that broke off. */
type Change = { version: number; broken: readonly number[]; rest: readonly Item[] };

async function changeTo(
  { store }: Pick<PlanDeps, 'store'>,
  ref: SessionRef,
  after: number,
  items: readonly Item[],
): Promise<Outcome<Change | null>> {
  const found = await findSession(store, ref);
  if (!found.ok) return found;
  const { version } = found.value.state;
  const types = ['item.appended', 'item.superseded'] as const;
  const events = await store.events(ref, { after, up_to: version, types });
  const gone = supersededSeqs(events);
  if ([...gone].some((seq) => seq <= after)) return accept(null);
  const broken: number[] = [];
  let asked = 0;
  for (const event of events) {
    if (event.type !== 'item.appended' || gone.has(event.version)) continue;
    const { item } = event.data;
    if (item.is_cut_off === true) broken.push(event.version);
    else if (isEqual(item, items[asked])) asked += 1;
    else return accept(null);
  }
  return accept({ version, broken, rest: items.slice(asked) });
}

function isEqual(one: Item, other: Item | undefined): boolean {
  return other !== undefined && canonicalJson(one) === canonicalJson(other);
}

async function write(
  deps: PlanDeps,
  ref: SessionRef,
  { version, broken, rest }: Change,
): Promise<Outcome<number>> {
  const now = deps.clock.now();
  const at = now.toISOString();
  const compaction_id = deps.newId();
  const posted = { items: rest, defaults: defaultSession() };
  const taken = await takenBack(deps, ref, broken, version);
  const committed = await withCounts(deps, ref, posted, (counted) => {
    const append = { ...posted, counted, compaction_id, now_ms: now.getTime(), at };
    const command = syncHistory(deps.world, {
      ...taken,
      expected_version: version,
      by_client: null,
      append: rest.length === 0 ? null : append,
      counted,
      at,
    });
    return deps.store.commit(ref, command, { at });
  });
  if (!committed.ok) return committed;
  const { value } = committed.value;
  if (value.appended?.compaction?.id === compaction_id) deps.dispatch({ ref, compaction_id });
  return accept(value.version);
}
