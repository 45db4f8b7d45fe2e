import { isOnlyThinking, turnNumbers } from '../../src/domain/context/invariants/turns.ts';
import type { Normalised } from '../../src/domain/items/item.ts';
import { pairedParts } from '../../src/domain/items/pairing.ts';
import { endsTurn } from '../../src/domain/items/speaker.ts';

/** What breaks each invariant in the items as they are, by its name: one place each. */
export const BROKEN = {
  'tool-pairs': openEnds,
  'message-parts': resumed,
  'reasoning-groups': idle,
};

/** Results that answer no call, and calls that the model has gone on without. */
function openEnds(items: readonly Normalised[]): number[] {
  const turns = turnNumbers(items);
  const lastTurn = turns.findLast((turn) => turn !== null);
  return pairedParts(items)
    .filter(({ partner }) => partner === null)
    .filter(({ part, at }) => part.kind === 'tool_result' || turns[at] !== lastTurn)
    .map(({ at }) => at);
}

/** Pieces of messages that go on after other messages. */
function resumed(items: readonly Normalised[]): number[] {
  const turns = turnNumbers(items);
  const seen = new Set<string>();
  let last = '';
  return [...items.entries()].flatMap(([at, item]) => {
    if (item.kind !== 'message' || item.role !== 'assistant') return [];
    const piece = item.id === undefined ? '' : `${item.id} ${turns[at]}`;
    const goesOn = piece === '' || piece === last;
    last = piece;
    if (goesOn || item.id === undefined) return [];
    const isBroken = seen.has(item.id);
    seen.add(item.id);
    return isBroken ? [at] : [];
  });
}

/** Reasoning after which the user spoke before it had led to anything. */
function idle(items: readonly Normalised[]): number[] {
  let open: number | null = null;
  const found: number[] = [];
  for (const [at, item] of items.entries()) {
    if (item.kind === 'message' && item.role === 'assistant') {
      open = isOnlyThinking(item) ? at : null;
    } else if (open !== null && endsTurn(item)) {
      found.push(open);
      open = null;
    }
  }
  return found;
}
