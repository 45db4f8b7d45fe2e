import type { Atom } from '../items/atoms.ts';
import { answeredSummary, asksForSummary, clientSummary } from '../items/client-summary.ts';
import type { Codec } from '../items/codec.ts';
import type { Item } from '../items/item.ts';
import type { LoggedItem, ToldItem } from './match-history.ts';

/** The first `items` of a history are what a compaction by its client has made of everything before. */
export type ClientCompaction = { items: number; summary_text: string };

type Told = ToldItem & { item: Item };

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
    if (summary !== null && !known.has(keyOf(atoms))) {
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

/** Clients keep the last few messages. */
const MOST_KEPT = 1_000;

/** How many items behind the summary are the last ones of the log. */
function keptAfter(log: readonly LoggedItem[], client: readonly Told[]): number {
  const told = client.flatMap(({ atoms }, at) => firmOf(atoms).map((key) => ({ key, at })));
  const logged = log.flatMap(({ atoms }) => firmOf(atoms)).slice(-MOST_KEPT);
  const [first] = told;
  if (first === undefined) return 0;
  for (let start = logged.indexOf(first.key); start !== -1; ) {
    const run = logged.slice(start);
    if (run.length <= told.length && run.every((key, index) => key === told[index]?.key)) {
      const last = told[run.length - 1];
      // Not a part of a message.
      const isWhole = last !== undefined && told[run.length]?.at !== last.at;
      return isWhole ? last.at + 1 : 0;
    }
    start = logged.indexOf(first.key, start + 1);
  }
  return 0;
}

function firmOf(atoms: readonly Atom[]): string[] {
  return atoms.flatMap(({ isFirm, text }) => (isFirm ? [text] : []));
}

function keyOf(atoms: readonly Atom[]): string {
  return atoms.map(({ text }) => text).join('\n');
}
