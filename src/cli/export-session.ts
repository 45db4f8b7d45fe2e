import { rolloutWriter } from '../domain/session/rollout.ts';
import { openExistingStore } from './existing-store.ts';

const PAGE = 500;

/** Writes a session of the store as rollout JSONL; false when there is none of this id. */
export async function exportCommand(sessionId: string, tenant: string): Promise<boolean> {
  const store = await openExistingStore();
  const ref = { tenant, session_id: sessionId };
  const recordsOf = rolloutWriter(sessionId);
  try {
    if ((await store.head(ref)) === null) return false;
    for (let after = 0; ; ) {
      const events = await store.events(ref, { after, limit: PAGE });
      for (const event of events) {
        for (const record of recordsOf(event)) {
          process.stdout.write(`${JSON.stringify(record)}\n`);
        }
      }
      const last = events.at(-1);
      if (last === undefined) return true;
      after = last.version;
    }
  } finally {
    await store.close();
  }
}
