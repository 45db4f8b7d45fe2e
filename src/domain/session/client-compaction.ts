import type { Atom } from '../items/atoms.ts';
import { answeredSummary, asksForSummary, clientSummary } from '../items/client-summary.ts';
import type { Codec } from '../items/codec.ts';
import type { Item } from '../items/item.ts';
import type { LoggedItem, ToldItem } from './match-history.ts';

/** The first `items` of a history are what a compaction by its client has made of everything before. */
export type ClientCompaction = { items: number; summary_text: string };

/** `at`: the place of the message that it is, or is a part of. */
type Told = ToldItem & { item: Item; at: number };

/**
 * Finds out whether a history that differs from the log begins with a summary of the client's own: what
 * stands before it tells the agent what to do, or is what the user said; what follows it and ends the
 * log is what the client has kept verbatim (SPEC 2, section 22). Null when it does not.
 */
export function clientCompaction(
  codec: Codec,
  log: readonly LoggedItem[],
  client: readonly Told[],
): ClientCompaction | null {
  const known = new Set(log.map(({ atoms }) => keyOf(atoms)));
  let isAsked = false;
  for (const [place, { item, atoms }] of client.entries()) {
    const normalised = codec.normalise(item);
    const summary = isAsked ? answeredSummary(normalised) : clientSummary(item, normalised);
    if (summary !== null && !isKnown(known, client, place)) {
      const from = place + 1;
      return { items: from + keptAfter(log, client.slice(from)), summary_text: summary };
    }
    // What the model has thought before it answered.
    const isBetween: boolean = isAsked && atoms.every(({ isFirm }) => !isFirm);
    const isBefore = isBetween || normalised.kind !== 'message' || normalised.role !== 'assistant';
    isAsked = asksForSummary(normalised) || isBetween;
    const hasResult = atoms.some(({ anchor }) => anchor !== null);
    if (summary === null && (!isBefore || hasResult)) return null;
  }
  return null;
}

/** Whether the log has an item that is the message from this piece on, or as much of it as was told then. */
function isKnown(known: ReadonlySet<string>, client: readonly Told[], place: number): boolean {
  const atoms: Atom[] = [];
  for (const piece of client.slice(place)) {
    if (piece.at !== client[place]?.at) return false;
    atoms.push(...piece.atoms);
    if (known.has(keyOf(atoms))) return true;
  }
  return false;
}

/** Clients keep the last few messages. */
const MOST_KEPT = 1_000;
/** What a client lets the model say to its summary, and asks it to go on with. */
const MOST_BETWEEN = 4;

/**
 * How many items behind the summary are the last ones of the log, with what stands between them and the
 * summary. Behind words in between only calls tell that they are: the same words may be said again.
 */
function keptAfter(log: readonly LoggedItem[], client: readonly Told[]): number {
  const told = client.flatMap(({ atoms }, at) =>
    atoms.flatMap((atom) => (atom.isFirm ? [{ key: atom.text, atom, at }] : [])),
  );
  const logged = log.flatMap(({ atoms }) => firmOf(atoms)).slice(-MOST_KEPT);
  for (const [begin, { at }] of told.entries()) {
    if (at > MOST_BETWEEN) return 0;
    // Nor does it begin within a message.
    if (told[begin - 1]?.at === at) continue;
    const rest = told.slice(begin);
    const length = sharedEnd(
      logged,
      rest.map(({ key }) => key),
    );
    if (length === 0) continue;
    const run = rest.slice(0, length);
    if (begin > 0 && run.every(({ atom }) => atom.anchor === null)) continue;
    const end = run.at(-1)?.at ?? 0;
    // Not a part of a message.
    return rest[length]?.at === end ? 0 : end + 1;
  }
  return 0;
}

/** How many of the first keys told are the last ones of the log: the most that are. */
function sharedEnd(logged: readonly string[], told: readonly string[]): number {
  const [first] = told;
  if (first === undefined) return 0;
  for (let start = logged.indexOf(first); start !== -1; start = logged.indexOf(first, start + 1)) {
    const length = logged.length - start;
    const isShared = logged.slice(start).every((key, index) => key === told[index]);
    if (isShared) return length;
  }
  return 0;
}

function firmOf(atoms: readonly Atom[]): string[] {
  return atoms.flatMap(({ isFirm, text }) => (isFirm ? [text] : []));
}

function keyOf(atoms: readonly Atom[]): string {
  return atoms.map(({ text }) => text).join('\n');
}
