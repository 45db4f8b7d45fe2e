import { loadView } from '../src/app/load-view.ts';
import { evolve } from '../src/domain/session/evolve.ts';
import type { Head } from '../src/domain/session/head.ts';
import { BareLog } from './bare-log.ts';
import type { Figure } from './figures.ts';
import type { LocalService } from './local-service.ts';
import { median, timed } from './statistics.ts';

const PAGE = 1_000;
const REPEATS = 3;
const VERIFY_AT_LEAST = 0.6;

/** Events per second when a session is folded again to head and context, and when a store is verified. */
export async function replaySpeed(
  { store, databasePath }: LocalService,
  sessionId: string,
): Promise<Figure[]> {
  const log = new BareLog(databasePath);
  const ref = { tenant: log.tenantOf(sessionId), session_id: sessionId };
  const times = {
    replay: [] as number[],
    parse: [] as number[],
    verify: [] as number[],
    hash: [] as number[],
  };
  let replayed = 0;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    times.replay.push(
      await timed(async () => {
        replayed = await replay(store, ref);
      }),
    );
    times.parse.push(await log.parseSession(sessionId));
    times.verify.push(
      await timed(async () => {
        const { problems } = await store.verify();
        if (problems.length > 0) throw new Error(problems.join('\n'));
      }),
    );
    times.hash.push(await log.parseAndHashAll());
  }
  const all = log.countAll();
  log.close();
  const figure = (
    what: string,
    events: number,
    ours: number[],
    baseline: { what: string; times: number[] },
  ): Figure => ({
    what,
    unit: 'events/s',
    ours: (events * 1_000) / median(ours),
    baseline: { what: baseline.what, value: (events * 1_000) / median(baseline.times) },
  });
  return [
    figure('replay to head and context', replayed, times.replay, {
      what: 'reading and parsing',
      times: times.parse,
    }),
    {
      ...figure('verify', all, times.verify, {
        what: 'reading, parsing, SHA-256',
        times: times.hash,
      }),
      target: { at_least: VERIFY_AT_LEAST },
    },
  ];
}

/** Folds every event of a session to its head and loads its context; answers how many there were. */
async function replay(
  store: LocalService['store'],
  ref: { tenant: string; session_id: string },
): Promise<number> {
  let head: Head | null = null;
  for (;;) {
    const after: number = head?.state.version ?? 0;
    const page = await store.events(ref, { after, limit: PAGE });
    for (const event of page) head = evolve(head, event);
    if (page.length < PAGE) break;
  }
  await loadView(store, ref);
  return head?.state.version ?? 0;
}
