import type { SessionRef } from './event-store.ts';

/**
 * What the gateway knows sessions by that no header names (SPEC 2, section 23). A key names one session
 * of a tenant, the one that was noted last. Erasing a session erases its keys.
 */
export interface GatewayKeys {
  /** Does nothing for a session that does not exist. */
  note(ref: SessionRef, keys: readonly string[]): Promise<void>;
  /** The session of the first of these keys that is known; null when none is. */
  find(
    tenant: string,
    keys: readonly string[],
  ): Promise<{ key: string; session_id: string } | null>;
}

/** A store with these keys beside its events. */
export type StoreWithKeys = { readonly gatewayKeys: GatewayKeys };
