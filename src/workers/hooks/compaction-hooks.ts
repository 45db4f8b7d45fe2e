import { eventAt } from '../../app/event-at.ts';
import type { Running } from '../../domain/session/head.ts';
import type { HookResult } from '../../domain/session/hook-result.ts';
import { type HookRun, recordHook, recordPostCompact } from '../../domain/session/record-hook.ts';
import { commitStep } from '../compaction/commit-step.ts';
import type { WorkerDependencies } from '../compaction/dependencies.ts';
import type { Loaded } from '../compaction/load.ts';
import { recordFailure } from '../compaction/record-failure.ts';
import type { HookCall } from './hook-payload.ts';
import type { HookEvent, HookSettings } from './hook-settings.ts';
import { runHook } from './run-hook.ts';

type HookDependencies = Pick<
  WorkerDependencies,
  'store' | 'now' | 'random' | 'hooks' | 'observe' | 'fetch'
>;

/**
 * Calls the operator's hooks of a moment before the commit (SPEC section 16), one after the other, and
 * records each. Those that ran in an earlier attempt are not called again: what they said then holds.
 * None is called after one that blocks, which ends the compaction. Null when the attempt is over: for
 * that, or because it was aborted, or taken over by another worker.
 */
export async function runHooks(
  deps: HookDependencies,
  loaded: Loaded,
  event: Exclude<HookEvent, 'PostCompact'>,
  signal: AbortSignal,
): Promise<HookResult[] | null> {
  const hooks = deps.hooks.filter((hook) => hook.event === event);
  if (hooks.length === 0) return [];
  const earlier = await earlierRuns(deps, loaded);
  const results: HookResult[] = [];
  for (const hook of hooks) {
    const known = earlier.find((run) => run.event === event && run.hook === hook.name);
    const run = known ?? (await askAndRecord(deps, hook, loaded, signal));
    if (run === null) return null;
    const message = blockedBy(run);
    if (message !== null) {
      await recordFailure(deps, loaded, { reason: 'hook_blocked', message }, false);
      return null;
    }
    results.push(run.result);
  }
  return results;
}

/** A compaction that hooks are told of. */
type Told = Pick<Loaded, 'ref' | 'head'> & {
  running: Pick<Running, 'id' | 'trigger'>;
  request: Pick<Loaded['request'], 'instructions'>;
};

/** One that may stand in the log; `requested_version`: words of the user since then come after it. */
export type Ended = Told & Pick<Loaded, 'terms'> & { requested_version: number };

/** Calls the PostCompact hooks once the compaction stands in the log; at most once each. */
export async function postCompact(
  deps: HookDependencies,
  ended: Ended,
  signal: AbortSignal,
): Promise<void> {
  const hooks = deps.hooks.filter(({ event }) => event === 'PostCompact');
  if (hooks.length === 0) return;
  const { store, now } = deps;
  const { ref, terms, running, requested_version } = ended;
  const compaction_id = running.id;
  const base = (await store.head(ref))?.state.base;
  // Not so when it turned out that it would not have made the context smaller.
  if (base?.compaction_id !== compaction_id) return;
  const event = await eventAt(store, ref, base.version);
  if (event?.type !== 'compaction.completed') return;
  for (const hook of hooks) {
    const run = await ask(deps, hook, ended, event.data.summary_text, signal);
    if (run === null) return;
    const at = now().toISOString();
    // Only one try: a second one after a broken connection could append the items twice.
    const moment = { compaction_id, requested_version, at };
    await store.commit(ref, recordPostCompact(terms, moment, run), { at });
  }
}

async function earlierRuns(
  { store }: HookDependencies,
  { ref, running }: Loaded,
): Promise<HookRun[]> {
  const after = running.requested_version;
  const events = await store.events(ref, { after, types: ['hook.ran'] });
  return events.flatMap((event) =>
    event.type === 'hook.ran' && event.data.compaction_id === running.id ? [event.data] : [],
  );
}

/** Null when it is of no interest any more. */
async function askAndRecord(
  deps: HookDependencies,
  hook: HookSettings,
  loaded: Loaded,
  signal: AbortSignal,
): Promise<HookRun | null> {
  const run = await ask(deps, hook, loaded, null, signal);
  if (run === null) return null;
  const step = await commitStep(deps, loaded.ref, () => recordHook(loaded.attempt, run));
  return step?.applied ? run : null;
}

function ask(
  { now, observe, fetch }: HookDependencies,
  hook: HookSettings,
  { ref, head, running, request }: Told,
  summary: string | null,
  signal: AbortSignal,
): Promise<HookRun | null> {
  const call: HookCall = {
    tenant: ref.tenant,
    session_id: ref.session_id,
    compaction_id: running.id,
    is_automatic: running.trigger === 'auto',
    instructions: request.instructions ?? null,
    summary,
  };
  const { format } = head.settings;
  const { session_id, compaction_id } = call;
  return observe(
    {
      name: 'hook',
      kind: 'client',
      facts: { session_id, compaction_id, hook: hook.name, event: hook.event },
    },
    () => runHook(hook, call, { format, signal, fetch, now: () => now().getTime() }),
    (run) => ({ outcome: run === null ? 'aborted' : run.ok ? 'ok' : 'failed', failed: !run?.ok }),
  );
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
