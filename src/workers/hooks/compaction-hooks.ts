import type { SessionRef } from '../../app/ports/event-store.ts';
import type { HookResult } from '../../domain/session/events.ts';
import { type HookRun, recordHook, recordPostCompact } from '../../domain/session/record-hook.ts';
import type { AttemptLog, Loaded, LogDependencies } from '../attempt-log.ts';
import type { HookCall } from './hook-payload.ts';
import type { HookEvent, HookSettings } from './hook-settings.ts';
import { runHook } from './run-hook.ts';

export type HookDependencies = LogDependencies & { hooks: readonly HookSettings[] };

/**
 * What the hooks of one moment said. `blocked`: the compaction has to end, for the reason in the
 * message. `gone`: it was aborted, or taken over by another worker.
 */
export type HookVerdict =
  | { kind: 'ran'; results: HookResult[] }
  | { kind: 'blocked'; message: string }
  | { kind: 'gone' };

/** The operator's hooks around one attempt at a compaction (SPEC section 16). */
export class CompactionHooks {
  readonly #deps: HookDependencies;
  readonly #ref: SessionRef;
  readonly #log: AttemptLog;
  readonly #signal: AbortSignal;

  constructor(deps: HookDependencies, ref: SessionRef, log: AttemptLog, signal: AbortSignal) {
    this.#deps = deps;
    this.#ref = ref;
    this.#log = log;
    this.#signal = signal;
  }

  /**
   * Calls the hooks of a moment before the commit, one after the other, and records each. Those that
   * ran in an earlier attempt are not called again: what they said then holds. None is called after
   * one that blocks.
   */
  async run(event: Exclude<HookEvent, 'PostCompact'>, state: Loaded): Promise<HookVerdict> {
    const hooks = this.#of(event);
    if (hooks.length === 0) return { kind: 'ran', results: [] };
    const earlier = await this.#earlierRuns(state);
    const results: HookResult[] = [];
    for (const hook of hooks) {
      const known = earlier.find((run) => run.event === event && run.hook === hook.name);
      const run = known ?? (await this.#askAndRecord(hook, state));
      if (run === null) return { kind: 'gone' };
      const message = blockedBy(run);
      if (message !== null) return { kind: 'blocked', message };
      results.push(run.result);
    }
    return { kind: 'ran', results };
  }

  /** Calls the PostCompact hooks once the compaction stands in the log; at most once each. */
  async afterCommit(state: Loaded): Promise<void> {
    const hooks = this.#of('PostCompact');
    if (hooks.length === 0) return;
    const { store, world, now } = this.#deps;
    const { compaction_id } = this.#log.attempt;
    const base = (await store.head(this.#ref))?.state.base;
    // Not so when it turned out that it would not have made the context smaller.
    if (base?.compaction_id !== compaction_id) return;
    const [event] = await store.events(this.#ref, { after: base.version - 1, up_to: base.version });
    if (event?.type !== 'compaction.completed') return;
    for (const hook of hooks) {
      const run = await this.#ask(hook, state, event.data.summary_text);
      if (run === null) return;
      const at = now().toISOString();
      // Only one try: a second one after a broken connection could append the items twice.
      const moment = { compaction_id, requested_version: state.running.requested_version, at };
      await store.commit(this.#ref, recordPostCompact(world, moment, run), { at });
    }
  }

  #of(event: HookEvent): HookSettings[] {
    return this.#deps.hooks.filter((hook) => hook.event === event);
  }

  async #earlierRuns({ running }: Loaded): Promise<HookRun[]> {
    const events = await this.#deps.store.events(this.#ref, {
      after: running.requested_version,
      types: ['hook.ran'],
    });
    return events.flatMap((event) =>
      event.type === 'hook.ran' && event.data.compaction_id === running.id ? [event.data] : [],
    );
  }

  /** Null when it is of no interest any more. */
  async #askAndRecord(hook: HookSettings, state: Loaded): Promise<HookRun | null> {
    const run = await this.#ask(hook, state, null);
    if (run === null) return null;
    const isOurTurn = await this.#log.commit(() => recordHook(this.#log.attempt, run));
    return isOurTurn ? run : null;
  }

  #ask(
    hook: HookSettings,
    { head, running, request }: Loaded,
    summary: string | null,
  ): Promise<HookRun | null> {
    const call: HookCall = {
      tenant: this.#ref.tenant,
      session_id: this.#ref.session_id,
      compaction_id: running.id,
      is_automatic: running.trigger === 'auto',
      instructions: request.instructions ?? null,
      summary,
    };
    return runHook(hook, call, {
      format: head.settings.format,
      signal: this.#signal,
      now: () => this.#deps.now().getTime(),
    });
  }
}

function blockedBy({ hook, ok, required, error, result }: HookRun): string | null {
  if (result.block === true) return `hook "${hook}" blocked the compaction`;
  if (ok || !required) return null;
  return `the required hook "${hook}" failed: ${error ?? 'it gave no reason'}`;
}

/** The client's instructions and those of hooks, with a blank line between them. */
export function joinedInstructions(
  own: string | undefined,
  results: readonly HookResult[],
): string | undefined {
  return joined([own, ...results.map((result) => result.new_custom_instructions)], '\n\n');
}

/** What PreCompact hooks want the user to see, one line each; undefined when that is nothing. */
export function displayMessage(results: readonly HookResult[]): string | undefined {
  return joined(
    results.map((result) => result.user_display_message),
    '\n',
  );
}

function joined(texts: readonly (string | undefined)[], separator: string): string | undefined {
  const said = texts.filter((text) => text !== undefined && text.trim() !== '');
  return said.length === 0 ? undefined : said.join(separator);
}
