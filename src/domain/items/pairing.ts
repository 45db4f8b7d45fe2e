/** What a tool call gets as its result when none was recorded and it is no longer open. */
export const MISSING_RESULT_NOTE = '[No result was recorded for this tool call.]';

/** A tool call or a tool result in the order of the log, with the id that joins the two. */
export type ToolEvent = { kind: 'call' | 'result'; id: string };

/**
 * The index of the partner of each event, or null. A call is answered by the first result of its id
 * that stands after it and before the next call of that id (clients re-use ids); so a result before
 * its call, a second result and a result without any call have no partner. Linear.
 */
export function pairTools(events: readonly ToolEvent[]): (number | null)[] {
  const partners = new Array<number | null>(events.length).fill(null);
  const waiting = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    if (event.kind === 'call') {
      waiting.set(event.id, index);
      continue;
    }
    const call = waiting.get(event.id);
    if (call === undefined) continue;
    waiting.delete(event.id);
    partners[call] = index;
    partners[index] = call;
  }
  return partners;
}
