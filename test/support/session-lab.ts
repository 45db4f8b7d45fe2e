import { apply } from '../../src/app/apply-proposal.ts';
import { discard } from '../../src/app/discard-proposal.ts';
import { loadView } from '../../src/app/load-view.ts';
import type { SessionRef, StoredEvent } from '../../src/app/ports/event-store.ts';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import { findProposal } from '../../src/app/proposal.ts';
import type { View } from '../../src/domain/context/view.ts';
import type { Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import { DEFAULT_PRICES } from '../../src/domain/policy/prices.ts';
import { type Appended, appendItems } from '../../src/domain/session/append-items.ts';
import {
  cancelCompaction,
  requestCompaction,
} from '../../src/domain/session/compaction-commands.ts';
import { createSession, type NewSession } from '../../src/domain/session/create-session.ts';
import type { Decide } from '../../src/domain/session/decision.ts';
import type { Outcome } from '../../src/domain/session/errors.ts';
import type { Mode } from '../../src/domain/session/events.ts';
import type { Head } from '../../src/domain/session/head.ts';
import { compactSession } from '../../src/workers/compaction/compact-session.ts';
import type { JobResult } from '../../src/workers/engines/job-engine.ts';
import type { HookSettings } from '../../src/workers/hooks/hook-settings.ts';
import { extractive } from '../../src/workers/summarizers/extractive.ts';
import type { SummarizerChoice } from '../../src/workers/summarizers/registry.ts';
import { remoteSummarizer } from '../../src/workers/summarizers/remote/remote.ts';
import {
  type RemoteCompactor,
  remoteCompactor,
} from '../../src/workers/summarizers/remote/remote-compactor.ts';
import { openTestStore } from './open-test-store.ts';
import { workerDependencies } from './worker-dependencies.ts';

/** So small that a few generated messages fill it, with budgets to match. */
export const TINY: { context_window: number; config: ConfigOverrides } = {
  context_window: 700,
  config: {
    free_space_buffer: 100,
    warning_threshold: 150,
    error_threshold: 150,
    micro_compact_min_tokens_to_save: 20,
    micro_compact_min_result_tokens: 0,
    micro_compact_keep_last_n_tools: 1,
    micro_compact_target_tokens: 20,
    min_new_tokens_between_compactions: 20,
    protected_tokens: 80,
    summary_max_tokens: 150,
    restore_tokens_per_file: 50,
    restore_total_file_budget: 100,
    tokens_per_image: 40,
    breaker_max_failures: 100,
  },
};

/**
 * One session on a real store with the real compaction handler, driven step by step:
 * ids count up and the clock ticks a second per step, so that two labs with the same script write
 * the same log.
 */
export class SessionLab {
  /** The session that is driven; a fork takes its place where a test says so. */
  ref: SessionRef = { tenant: 'local', session_id: 'lab' };
  readonly prices = DEFAULT_PRICES;
  readonly world = { server: {}, tokenizers: {} };
  readonly session: NewSession;
  readonly store: SearchableStore;
  summarizer: SummarizerChoice = extractive;
  compactRemotely: RemoteCompactor = remoteCompactor({});
  hooks: HookSettings[] = [];
  workspaceRoot: string | null = null;
  /** Compactions that had to follow another one; nothing runs by itself. */
  readonly dispatched: string[] = [];
  #ids = 0;
  #ticks = 0;

  private constructor(store: SearchableStore, session: NewSession) {
    this.store = store;
    this.session = session;
  }

  static async open(format: Format, overrides: Partial<NewSession> = {}): Promise<SessionLab> {
    const session: NewSession = {
      format,
      profile: 'default',
      model: null,
      initial_context: [],
      metadata: {},
      ...TINY,
      ...overrides,
    };
    const lab = new SessionLab(await openTestStore(), session);
    const created = await lab.commit(createSession(lab.world, session));
    if (!created.ok) throw new Error(created.rejection.detail);
    return lab;
  }

  close(): Promise<void> {
    return this.store.close();
  }

  newId = (): string => {
    this.#ids += 1;
    return `id-${this.#ids}`;
  };

  now = (): Date => {
    this.#ticks += 1;
    return new Date(Date.UTC(2026, 0, 1) + this.#ticks * 1000);
  };

  async commit<T>(decide: Decide<T>): Promise<Outcome<T>> {
    const outcome = await this.store.commit(this.ref, decide, { at: this.now().toISOString() });
    return outcome.ok ? { ok: true, value: outcome.value.value } : outcome;
  }

  append(items: Item[]): Promise<Outcome<Appended>> {
    const now = this.now();
    return this.commit(
      appendItems(this.world, {
        items,
        defaults: this.session,
        compaction_id: this.newId(),
        now_ms: now.getTime(),
        at: now.toISOString(),
      }),
    );
  }

  request(
    mode: Mode,
    wishes: { instructions?: string; trigger?: 'manual' | 'tool'; propose?: true } = {},
  ) {
    const compaction_id = this.newId();
    const request = { compaction_id, mode, trigger: 'manual', ...wishes } as const;
    return this.commit(requestCompaction(this.world, request));
  }

  cancel(compactionId: string) {
    return this.commit(cancelCompaction(compactionId));
  }

  apply(proposalId: string) {
    const { store, world, now, newId } = this;
    const dispatch = ({ compaction_id }: { compaction_id: string }) => {
      this.dispatched.push(compaction_id);
    };
    return apply({ store, world, newId, dispatch, clock: { now } }, this.ref, proposalId, null);
  }

  discard(proposalId: string) {
    const { store, now } = this;
    return discard({ store, clock: { now } }, this.ref, proposalId, null);
  }

  /** The context that a proposal would give now. */
  async preview(proposalId: string): Promise<View> {
    const found = await findProposal(this.store, this.ref, proposalId);
    if (!found.ok) throw new Error(found.rejection.detail);
    const { candidate } = found.value.proposed.data;
    const view = await loadView(this.store, this.ref, undefined, { id: proposalId, candidate });
    if (view === null) throw new Error('the proposal is open no more');
    return view;
  }

  /** Runs the handler once for a compaction, as a worker would. */
  async work(compactionId: string, signal = new AbortController().signal): Promise<JobResult> {
    const worker = workerDependencies({
      store: this.store,
      world: this.world,
      chooseSummarizer: () => this.summarizer,
      remote: remoteSummarizer(this.compactRemotely),
      workspaceRoot: this.workspaceRoot,
      hooks: this.hooks,
      now: this.now,
      newId: this.newId,
      dispatch: ({ compaction_id }) => this.dispatched.push(compaction_id),
      random: () => 0.5,
    });
    const job = { ref: this.ref, compaction_id: compactionId };
    return compactSession(worker)(job, signal);
  }

  async head(): Promise<Head> {
    const head = await this.store.head(this.ref);
    if (head === null) throw new Error('the lab has no session');
    return head;
  }

  async view(at?: number): Promise<View> {
    const view = await loadView(this.store, this.ref, at);
    if (view === null) throw new Error(`the lab has no version ${at}`);
    return view;
  }

  events(): Promise<StoredEvent[]> {
    return this.store.events(this.ref);
  }
}
