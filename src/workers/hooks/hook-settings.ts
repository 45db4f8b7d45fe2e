import type { HOOK_EVENTS } from '../../domain/session/events.ts';

/** The moments of a compaction at which hooks are called (SPEC section 16). */
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** One webhook of the operator. */
export type HookSettings = {
  /** Unique; how events and error texts name it. */
  name: string;
  event: HookEvent;
  url: string;
  /** Key of the signature. */
  secret: string;
  /** Whether the compaction fails with it. */
  required: boolean;
  timeout_seconds: number;
};
