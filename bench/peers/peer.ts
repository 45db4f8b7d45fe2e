import type { Message, Pairing } from './message.ts';

/** Where a store keeps what it is given: a folder of its own, or a database where there is one. */
export type Place = { folder: string; url: string | null };

/** Throws where no database was given to a store that needs one. */
export function databaseOf({ url }: Place): string {
  if (url === null) throw new Error('this store needs a database');
  return url;
}

/** A store that is open, with one session in it. */
export type OpenStore = {
  /** Resolves when the system says that the message is stored. */
  append: (message: Message) => Promise<void>;
  /** Stores many at once, by whatever way is quick. */
  fill: (messages: readonly Message[]) => Promise<void>;
  /** Reads all that a model would be sent, from storage; answers how many messages. */
  read: () => Promise<number>;
  close: () => Promise<void>;
};

export type StorePeer = (place: Place) => Promise<OpenStore>;

/** What is left of a context, and how long it took to get there without a model. */
export type Compacted = {
  milliseconds: number;
  characters: number;
  messages: readonly Pairing[];
};

export type CompactionPeer = (messages: readonly Message[], place: Place) => Promise<Compacted>;
