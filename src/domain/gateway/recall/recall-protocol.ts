import type { Item } from '../../items/item.ts';
import type { Json, JsonObject } from '../../json.ts';

/** A tool of ours as any protocol may define it; `parameters` is a JSON schema. */
export type OfferedTool = { name: string; description: string; parameters: JsonObject };

/** A call of a tool of ours that a model has made; its input is not checked. */
export type OwnCall = { id: string; name: string; input: Json };

/** What came of a call. */
export type LookedUp = { text: string; is_error: boolean };

/** Whether this is the name of a tool of ours that the request was given. */
export type IsOwn = (name: string) => boolean;

/**
 * One answer of the provider, taken apart. `items`: as the session records it, the calls of ours marked
 * as hidden from the client. `others`: how many calls there are that the client has to answer.
 */
export type SplitAnswer = { items: Item[]; own: OwnCall[]; others: number };

/** One event of a stream; `data` as it came. */
export type StreamEvent = { name: string | undefined; data: string };

/**
 * Makes one stream of several: what the client is not to see is held back, places are counted anew. A
 * round is over with the event after which its provider says no more.
 */
export type StreamSplice = {
  /** What the client is sent of an event. */
  take: (event: StreamEvent) => StreamEvent[];
  /** Says something in the words of the service. */
  say: (text: string) => StreamEvent[];
  /** Of the round so far: what it has said, and how it ended. */
  round: () => RoundOfStream;
  /** The model is asked again: what has ended the round is not sent. */
  next: () => void;
  /** The model is not asked again: what ends the stream. */
  end: () => StreamEvent[];
  /** What the client is told when the provider refuses to go on; `body`: its words. */
  refused: (body: JsonObject | null) => StreamEvent[];
};

export type RoundOfStream = {
  events: readonly JsonObject[];
  /** It has come to its end. */
  isOver: boolean;
  /** Nothing more can follow. */
  isClosed: boolean;
  /** The model waits for the results of its calls. */
  waits: boolean;
  /** The client has been sent something of this answer, in any round. */
  hasSpoken: boolean;
};

/** How a protocol writes what recall inside the gateway needs (SPEC 2, section 23). */
export type RecallProtocol = {
  tool: (tool: OfferedTool) => JsonObject;
  /** Whether tools may be added to a request: not where answers could not be spliced. */
  mayOffer: (body: JsonObject) => boolean;
  split: (items: readonly Item[], isOwn: IsOwn) => SplitAnswer;
  /** What answers the calls, as items of the session. */
  results: (answered: readonly { call: OwnCall; found: LookedUp }[]) => Item[];
  splice: (isOwn: IsOwn) => StreamSplice;
  /** Whether the model waits for the results of its calls, from a whole body. */
  waits: (body: JsonObject) => boolean;
  /** One body of those of all rounds; the last may say nothing but what `note` says in its place. */
  joined: (bodies: readonly JsonObject[], isOwn: IsOwn, note: string | null) => JsonObject;
};
