import type { Item } from '../../domain/items/item.ts';
import type { SessionRef } from './event-store.ts';

/**
 * What a session is to be found by. `version`: of the event that has appended the item that the key stands
 * for, of an answer that of its last one; null where it stands for neither.
 */
export type KeyPlace = { key: string; version: number | null };

/** A session that a key names; `version`: of the log behind what the key stands for, where it is known. */
export type FoundKey = { key: string; session_id: string; version: number | null };

/** An item as the log of a session has it. */
export type NotedItem = { key: string; session_id: string; item: Item };

/**
 * What the gateway knows sessions by that no header names, and the items that requests name (SPEC 2,
 * section 23). A key names one session of a tenant, the one that was noted last. Erasing a session erases
 * its keys.
 */
export interface GatewayKeys {
  /** Does nothing for a session that does not exist. */
  note(ref: SessionRef, keys: readonly KeyPlace[]): Promise<void>;
  /** The session of the first of these keys that is known; null when none is. */
  find(tenant: string, keys: readonly string[]): Promise<FoundKey | null>;
  /** Those of these items that are known, in any order; null where they come to more bytes than that. */
  items(tenant: string, keys: readonly string[], most_bytes: number): Promise<NotedItem[] | null>;
}

/** A store with these keys beside its events. */
export type StoreWithKeys = { readonly gatewayKeys: GatewayKeys };
