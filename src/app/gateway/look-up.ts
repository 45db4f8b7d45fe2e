import type { LookedUp } from '../../domain/gateway/recall/recall-protocol.ts';
import type { Json } from '../../domain/json.ts';
import type { SessionRef } from '../ports/event-store.ts';

/** A call of a tool of ours inside of the gateway; its input is not checked. */
export type LookUp = { ref: SessionRef; name: string; input: Json };

/** Answers such a call. What is wrong with it stands in the answer. Throws what the store throws. */
export type LookUpTool = (asked: LookUp) => Promise<LookedUp>;
