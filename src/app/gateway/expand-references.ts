import type { StatelessInput } from '../../domain/compaction/stateless.ts';
import type { Item } from '../../domain/items/item.ts';
import { referredId, withReferred } from '../../domain/items/openai-responses/references.ts';
import { withoutOwnFields } from '../../domain/items/own-fields.ts';
import { ElsewhereError } from '../ports/elsewhere-error.ts';
import type { Ports } from '../ports/ports.ts';
import { type Expanded, MOST_BYTES } from './expand-content.ts';
import { hashed } from './history-keys.ts';
import { notedSoon, RECORDING_MS } from './noted-soon.ts';
import type { TurnRequest } from './turn-request.ts';

/** More than a conversation of any window has. */
const MOST_REFERENCES = 20_000;

/** The key of an item by the id that its provider gave it. */
export function itemKey(
  { upstream, owner }: Pick<TurnRequest, 'upstream' | 'owner'>,
  id: string,
): string {
  return hashed('item', upstream, owner, id);
}

/**
 * The history with the items in it that it only names, as the log has them; what stands for those that
 * nobody here has seen, see `withReferred`. Null where that is more than one request may bring. Throws
 * ElsewhereError where it is more than this thread may read.
 */
export async function expandReferences(
  { store, largestHere }: Pick<Ports, 'store' | 'largestHere'>,
  request: TurnRequest,
  history: Expanded,
): Promise<Expanded | null> {
  const ids = referredIds(history.items);
  const newest = ids.at(-1);
  if (newest === undefined) return history;
  if (ids.length > MOST_REFERENCES) return null;
  if (largestHere !== undefined && ids.length > largestHere.events) throw new ElsewhereError();
  const idOf = new Map(ids.map((id) => [itemKey(request, id), id]));
  const most = Math.min(MOST_BYTES, largestHere?.bytes ?? MOST_BYTES);
  await notedSoon(store, request.tenant, [itemKey(request, newest)], { ms: RECORDING_MS });
  const noted = await store.gatewayKeys.items(request.tenant, [...idOf.keys()], most);
  if (noted === null && largestHere !== undefined) throw new ElsewhereError();
  if (noted === null) return null;
  const known = new Map(
    noted.map(({ key, item }) => [idOf.get(key) ?? key, withoutOwnFields(item)]),
  );
  const sessions = new Map(noted.map(({ key, session_id }) => [idOf.get(key), session_id]));
  const last = ids.findLast((id) => sessions.has(id));
  return { ...named(history, known), referred_session_id: sessions.get(last) ?? null };
}

/** The same; where the store is away, what it would know stands there as what nobody has seen. */
export async function expandWhereItCan(
  deps: Pick<Ports, 'store' | 'largestHere'>,
  request: TurnRequest,
  history: Expanded,
): Promise<Expanded | null> {
  try {
    return await expandReferences(deps, request, history);
  } catch (error) {
    if (error instanceof ElsewhereError) throw error;
    return withoutReferences(history);
  }
}

/** The same without a store: it knows none of them. */
function withoutReferences(history: Expanded): Expanded {
  return referredIds(history.items).length === 0 ? history : named(history, new Map());
}

function referredIds(items: readonly Item[]): string[] {
  return [...new Set(items.flatMap((item) => referredId(item) ?? []))];
}

function named(history: Expanded, known: ReadonlyMap<string, Item>): Expanded {
  const items = withReferred(history.items, known);
  const input = history.isOurs
    ? history.input.flatMap((part) =>
        part.kind === 'content' ? [part] : asInput(withReferred([part.item], known)),
      )
    : asInput(items);
  return { ...history, items, input };
}

function asInput(items: readonly Item[]): StatelessInput[] {
  return items.map((item) => ({ kind: 'item', item }));
}
