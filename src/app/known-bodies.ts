import { createHash, type Hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../domain/json.ts';
import type { Told } from '../domain/session/told.ts';
import { lastUsed } from './last-used.ts';
import type { TellingStart } from './told-chain.ts';

const MOST_SESSIONS = 10_000;
/** Of the places of a body, so many are kept: the newest, and one that cache marks do not reach. */
export const MOST_PLACES = 2;
/** What is hashed without a pause for others, in bytes. */
const PORTION = 4_000_000;

/** A place in a body behind one of its items: what is told before, and the bytes of it. */
type BodyPlace = { start: TellingStart; end: number };

/** What a body holds that a later one may begin like; it can go from thread to thread. */
export type BodyOutline = {
  /** Those of its fields before the history that say something about it. */
  fields: JsonObject;
  /** The names of all that it has up to its history, none of which may stand behind it once more. */
  names: string[];
  /** Where its history begins, in UTF-16 units: only how long the rest is, is asked. */
  history_at: number;
  /** What that comes to. */
  told: Told;
  places: BodyPlace[];
};

type KeptPlace = BodyPlace & { digest: string };

/** What is kept of a body, about 1.5 kB; it can go from thread to thread. */
export type KeptBody = Omit<BodyOutline, 'told' | 'places'> & { places: KeptPlace[] };

/** What a body begins with, up to a place of a body before it. */
export type KnownBeginning = Omit<KeptBody, 'places'> & {
  place: BodyPlace;
  /** Up to there, that one the last. */
  places: KeptPlace[];
  /** Over the bytes up to there. */
  hash: Hash;
};

/** What is known of the bodies of sessions, here or in another thread. */
export type BodiesOfSessions = Pick<KnownBodies, 'beginning'> & {
  keep: (session: string, body: KeptBody) => void;
};

/**
 * What the last body of each session was, by hashes of its beginnings. Clients send their whole history
 * with each turn: to hash megabytes takes a tenth of the time that it takes to understand them.
 */
export class KnownBodies {
  readonly #kept = lastUsed<KeptBody | Promise<KeptBody>>(MOST_SESSIONS);
  /** What is looked for twice of the same body, is found once. */
  readonly #found = new WeakMap<Uint8Array, Promise<KnownBeginning | null>>();

  /** The longest beginning of a body that the one before had as well. */
  beginning(session: string, body: Uint8Array): Promise<KnownBeginning | null> {
    const known = this.#found.get(body) ?? this.#find(session, body);
    this.#found.set(body, known);
    return known;
  }

  /** Keeps the last body of a session; a promise must not reject. */
  keep(session: string, body: KeptBody | Promise<KeptBody>): void {
    this.#kept.set(session, body);
  }

  forget(session: string): void {
    this.#kept.delete(session);
  }

  async #find(session: string, body: Uint8Array): Promise<KnownBeginning | null> {
    const kept = await this.#kept.get(session);
    if (kept === undefined) return null;
    const hash = createHash('sha256');
    let found: KnownBeginning | null = null;
    let from = 0;
    for (const [index, place] of kept.places.entries()) {
      if (place.end >= body.byteLength) break;
      await update(hash, body.subarray(from, place.end));
      if (digestOf(hash) !== place.digest) break;
      const places = kept.places.slice(0, index + 1);
      found = { ...kept, place, places, hash: hash.copy() };
      from = place.end;
    }
    return found;
  }
}

/** What is kept of a body; `beginning`: what was known of it already. */
export async function keptBody(
  body: Uint8Array,
  { places, fields, names, history_at }: BodyOutline,
  beginning: KnownBeginning | null,
): Promise<KeptBody> {
  const all = [...(beginning?.places ?? [])];
  const hash = beginning?.hash.copy() ?? createHash('sha256');
  let from = beginning?.place.end ?? 0;
  for (const place of places) {
    if (place.end <= from) continue;
    await update(hash, body.subarray(from, place.end));
    all.push({ ...place, digest: digestOf(hash) });
    from = place.end;
  }
  return { fields, names, history_at, places: all.slice(-MOST_PLACES) };
}

async function update(hash: Hash, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; at += PORTION) {
    if (at > 0) await nextTurn();
    hash.update(bytes.subarray(at, at + PORTION));
  }
}

function digestOf(hash: Hash): string {
  return hash.copy().digest('base64url');
}
