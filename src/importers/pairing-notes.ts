import type { Normalised } from '../domain/items/item.ts';
import { pairedParts } from '../domain/items/pairing.ts';

/** What an import says about tool calls and results that do not simply follow each other. */
export function pairingNotes(items: readonly Normalised[]): string[] {
  const paired = pairedParts(items);
  const early: string[] = [];
  const orphans: string[] = [];
  const open: string[] = [];
  for (const { part, at, partner } of paired) {
    const other = partner === null ? undefined : paired[partner];
    if (part.kind === 'tool_call') {
      if (other === undefined) open.push(part.id);
    } else if (other === undefined) orphans.push(part.call_id);
    else if (other.at > at) early.push(part.call_id);
  }
  return [
    ...named(early, 'Tool results before their calls, which contexts show after them'),
    ...named(
      orphans,
      'Tool results that answer no call, or answer one again: contexts leave them out',
    ),
    ...named(open, 'Tool calls without a result'),
  ];
}

/** So many ids are named. */
const MOST_NAMED = 3;

function named(ids: readonly string[], what: string): string[] {
  if (ids.length === 0) return [];
  const shown = ids.slice(0, MOST_NAMED).map((id) => id.slice(0, 64));
  const more = ids.length > shown.length ? ', …' : '';
  return [`${what}: ${ids.length} (${shown.join(', ')}${more}).`];
}
