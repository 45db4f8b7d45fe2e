import type { Answer } from '../../domain/gateway/answers/answer.ts';
import type { Item } from '../../domain/items/item.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { append } from '../append.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';

export type Recorded = {
  ref: SessionRef;
  /** Of the session when the request went upstream. */
  version: number;
  answer: Answer;
  /** What the session is to be found by from now on. */
  keys: readonly string[];
};

/** What others write at the same moment makes it look again, so often. */
const ATTEMPTS = 10;

/**
 * Appends an answer to its session, unless somebody has told a later history of it meanwhile: the client
 * itself, which then holds the answer in its own words. Rejects what an append rejects.
 */
export async function recordAnswer(
  deps: Pick<Ports, 'store' | 'world' | 'dispatch' | 'clock' | 'newId' | 'loadTokenizer'>,
  { ref, version, answer, keys }: Recorded,
): Promise<Outcome<null>> {
  const items = answer.isWhole ? answer.items : answer.items.map(cutOff);
  let expected = version;
  for (let attempt = 0; items.length > 0; attempt++) {
    const done = await append(deps, ref, {
      items,
      expected: { kind: 'version', version: expected },
      idempotency: null,
      wait: null,
    });
    if (done.ok) break;
    if (done.rejection.code !== 'version_mismatch' || attempt === ATTEMPTS) return done;
    const since = await deps.store.events(ref, { after: expected });
    if (since.some(({ type }) => type === 'item.appended' || type === 'item.superseded')) break;
    expected = since.at(-1)?.version ?? expected;
  }
  await deps.store.gatewayKeys.note(ref, keys);
  return accept(null);
}

/** Says on the item itself that there was to be more of it. */
function cutOff(item: Item): Item {
  return { ...item, is_cut_off: true };
}
