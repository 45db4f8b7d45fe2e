import { isWithin } from '../app/load-view.ts';
import type { Ports, Size } from '../app/ports/ports.ts';
import { configOf } from '../domain/session/head.ts';
import type { AsksModel, CompactionJob, JobHandler } from '../workers/engines/job-engine.ts';

type Handlers = { compact: JobHandler; asksModel: AsksModel };

/** What is compacted within some 20 ms; a thread takes longer to start. */
const COMPACTED_HERE: Size = { events: 200, bytes: 400_000, values: 5_000, tokens: 20_000 };

/** Jobs on small contexts are done in this thread, all others in another. */
export function smallHere(
  ports: Pick<Ports, 'store' | 'world'>,
  here: Handlers,
  elsewhere: Handlers,
): Handlers {
  const placeOf = async (job: CompactionJob) => ((await isSmall(ports, job)) ? here : elsewhere);
  return {
    compact: async (job, signal) => (await placeOf(job)).compact(job, signal),
    asksModel: async (job) => (await placeOf(job)).asksModel(job),
  };
}

/** Never throws: when the store is away, or a log damaged, the handler finds that out. */
async function isSmall(
  { store, world }: Pick<Ports, 'store' | 'world'>,
  { ref }: CompactionJob,
): Promise<boolean> {
  try {
    const head = await store.head(ref);
    if (head === null) return true;
    // To load a tokenizer takes a quarter of a second.
    const { token_counter } = configOf(head.settings, world.server);
    return token_counter === 'estimate' && (await isWithin(store, ref, COMPACTED_HERE));
  } catch {
    return false;
  }
}
