import type { SessionRef } from '../../src/app/ports/event-store.ts';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import { sync } from '../../src/app/sync.ts';
import type { Sync, Synced } from '../../src/app/synced.ts';
import { syncedContext } from '../../src/app/synced-context.ts';
import type { ContextItem } from '../../src/domain/context/origins.ts';
import type { Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import { createSession } from '../../src/domain/session/create-session.ts';
import { compactSession } from '../../src/workers/compaction/compact-session.ts';
import { openTestStore } from './open-test-store.ts';
import { workerDependencies } from './worker-dependencies.ts';

type Job = { ref: SessionRef; compaction_id: string };

/** Clients that hold their whole history, and the sessions that they sync it with. */
export class SyncLab {
  readonly store: SearchableStore;
  readonly world = { server: {}, tokenizers: {} };
  /** Compactions that nobody has run yet. */
  readonly jobs: Job[] = [];
  readonly cancelled: string[] = [];
  #ids = 0;

  private constructor(store: SearchableStore) {
    this.store = store;
  }

  static async open(): Promise<SyncLab> {
    return new SyncLab(await openTestStore());
  }

  close(): Promise<void> {
    return this.store.close();
  }

  newId = (): string => {
    this.#ids += 1;
    return `id-${this.#ids}`;
  };

  now = (): Date => new Date(Date.UTC(2026, 0, 1) + this.#ids * 1000);

  get ports() {
    return {
      store: this.store,
      world: this.world,
      dispatch: (job: Job) => this.jobs.push(job),
      cancelJob: (id: string) => this.cancelled.push(id),
      clock: { now: this.now },
      newId: this.newId,
      loadTokenizer: async () => {},
    };
  }

  /** A session with a window of its own; without it the first sync creates one. */
  async create(
    session_id: string,
    format: Format,
    { context_window = 2_000_000, config = {} as ConfigOverrides, initial_context = [] as Item[] },
  ): Promise<void> {
    const session = {
      format,
      profile: 'default' as const,
      model: null,
      metadata: {},
      context_window,
      config,
      initial_context,
    };
    const at = this.now().toISOString();
    const created = await this.store.commit(refOf(session_id), createSession(this.world, session), {
      at,
    });
    if (!created.ok) throw new Error(created.rejection.detail);
  }

  /** Throws with the words of a rejection. */
  async sync(
    session_id: string,
    items: readonly Item[],
    more: Partial<Sync> = {},
  ): Promise<Synced & { context: ContextItem[]; hash: string }> {
    const outcome = await sync(this.ports, refOf(session_id), {
      items,
      format: undefined,
      on_divergence: 'fork',
      expected: null,
      idempotency: null,
      ...more,
    });
    if (!outcome.ok) throw new Error(outcome.rejection.detail);
    const { synced } = outcome.value;
    const signal = new AbortController().signal;
    const read = await syncedContext(this.ports, refOf(synced.session_id), 0, signal);
    if (!read.ok) throw new Error(read.rejection.detail);
    return { ...synced, context: read.value.context.items, hash: read.value.context.hash };
  }

  /** Runs the compactions that were requested. */
  async work(): Promise<void> {
    const { store, world, newId, now } = this;
    const dispatch = (job: Job) => this.jobs.push(job);
    const worker = workerDependencies({ store, world, now, newId, dispatch });
    for (let job = this.jobs.shift(); job !== undefined; job = this.jobs.shift()) {
      await compactSession(worker)(job, new AbortController().signal);
    }
  }

  /** Every item that a session ever took, but for those that were superseded. */
  async items(session_id: string): Promise<Item[]> {
    const events = await this.store.events(refOf(session_id));
    const gone = new Set(
      events.flatMap((event) =>
        event.type === 'item.superseded' ? event.data.items.map(({ seq }) => seq) : [],
      ),
    );
    return events.flatMap((event) =>
      event.type === 'item.appended' && !gone.has(event.version) ? [event.data.item] : [],
    );
  }
}

export function refOf(session_id: string): SessionRef {
  return { tenant: 'local', session_id };
}
