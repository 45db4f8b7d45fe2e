import { historyField } from '../../../src/domain/gateway/protocol.ts';
import { memberRange } from '../../../src/domain/gateway/replace-member.ts';
import type { Received } from './provider.ts';

/** The bytes of a request's history, as text, without what ends the list. */
export function historyText({ protocol, raw }: Received): string {
  const text = raw.toString();
  const range = protocol && memberRange(text, historyField(protocol));
  if (range === null) throw new Error('this is no turn');
  return text.slice(range.start, range.end - 1);
}

/** The places of the turns that do not go on, byte for byte, from the one before; `read`: what is compared. */
export function breaksIn(
  turns: readonly Received[],
  read: (received: Received) => string = historyText,
): number[] {
  return turns.flatMap((turn, at) => {
    const before = turns[at - 1];
    return before === undefined || read(turn).startsWith(read(before)) ? [] : [at];
  });
}
