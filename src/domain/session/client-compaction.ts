import { groupBy } from '../group-by.ts';
import type { Atom } from '../items/atoms.ts';
import { answeredSummary, asksForSummary, clientSummary } from '../items/client-summary.ts';
import type { Codec } from '../items/codec.ts';
import type { Item } from '../items/item.ts';
import type { LoggedItem, ToldItem } from './match-history.ts';

/** The first `items` of a history are what a compaction by its client has made of everything before. */
type ClientCompaction = { items: number; summary_text: string };

/** `place` is null where it stands in the log for others. */
type Logged = LoggedItem & { place: object | null };
/** `at`: the place of the message that it is, or is a part of. */
type Told = ToldItem & { item: Item; at: number };

/**
 * Finds out whether a history that differs from the log begins with a summary of the client's own: what
 * stands before it tells the agent what to do, or is what the user said; what follows it and ends the
 * log is what the client has kept verbatim (SPEC 2, section 22). Null when it does not. `known`: the items
 * of the log whose summaries are no new ones.
 */
export function clientCompaction(
  codec: Codec,
  log: readonly Logged[],
  client: readonly Told[],
  known: readonly Logged[] = log,
): ClientCompaction | null {
  const begun = byFirst(known);
  let isAsked = false;
  for (const [place, { item, atoms }] of client.entries()) {
    const normalised = codec.normalise(item);
    const summary = isAsked ? answeredSummary(normalised) : clientSummary(item, normalised);
    if (summary !== null && !isKnown(begun, client, place)) {
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

/** By what they begin with: there may be as many as the client tells summaries. */
function byFirst(log: readonly Logged[]): Map<string, Logged[]> {
  return groupBy(log, ({ atoms: [first] }) => first?.text ?? '');
}

/**
 * Whether the log has an item that begins with this piece of a message. What stands for a past that the
 * log has apart from it has to be all that was told then: edited, it is another summary.
 */
function isKnown(
  known: ReadonlyMap<string, readonly Logged[]>,
  client: readonly Told[],
  place: number,
): boolean {
  const piece = client[place]?.atoms ?? [];
  const message = messageFrom(client, place);
  const same = known.get(piece[0]?.text ?? '') ?? [];
  return same.some(
    ({ atoms, place }) => begins(atoms, piece) && (place !== null || begins(message, atoms)),
  );
}

/** The pieces of a message from one of them on. */
function messageFrom(client: readonly Told[], place: number): Atom[] {
  const atoms: Atom[] = [];
  for (let at = place; client[at] !== undefined && client[at]?.at === client[place]?.at; at++) {
    atoms.push(...(client[at]?.atoms ?? []));
  }
  return atoms;
}

function begins(atoms: readonly Atom[], first: readonly Atom[]): boolean {
  return first.every(({ text }, index) => text === atoms[index]?.text);
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
