import type { FullPlan } from '../../domain/compaction/full.ts';
import type { Usage } from '../../domain/items/item.ts';
import { NO_TOKENS, sumOfUsage } from '../../domain/session/summarizer-usage.ts';
import { counterFor } from '../../domain/tokens/tokenizers.ts';
import { DONE, type JobResult } from '../engines/job-engine.ts';
import type { Summarizer } from '../summarizers/summarizer.ts';
import { type Checked, check } from './check.ts';
import type { WorkerDependencies } from './dependencies.ts';
import type { Loaded } from './load.ts';
import { type Planned, planAs } from './plan.ts';
import { recordFailure } from './record-failure.ts';
import { retryAfterMs } from './retry-policy.ts';
import { summarise } from './summarise.ts';
import type { Way } from './ways.ts';

/** What stands for the covered part with all that it has cost, clearing in its place, or the end. */
export type Written =
  | { kind: 'written'; checked: Extract<Checked, { ok: true }>; paid: Usage }
  | Extract<Planned, { kind: 'micro' }>
  | { kind: 'over'; result: JobResult };

/**
 * Takes one way after the other until one leads to something that can be used (SPEC section 10,
 * fallback chain). What may pass ends the attempt: the job comes again.
 */
export async function write(
  deps: WorkerDependencies,
  loaded: Loaded,
  { plan, ways, packet }: Extract<Planned, { kind: 'full' }>,
  signal: AbortSignal,
): Promise<Written> {
  let { paid } = loaded;
  let next = firstOf(loaded, ways);
  while (next !== null) {
    const { way, others } = next;
    if (way.kind === 'micro') return { ...way, packet };
    const tried: Checked =
      way.kind === 'failed'
        ? { ok: false, failure: way.failure, others }
        : await tryOut(deps, loaded, plan, way.summarizer, others, signal);
    if (tried.ok) return { kind: 'written', checked: tried, paid };
    const { failure } = tried;
    // Aborted, which is no failure of anybody.
    if (failure === null) return { kind: 'over', result: DONE };
    const most = loaded.terms.config.summarizer_max_attempts;
    const after_ms = retryAfterMs(failure, loaded.running.attempt, most, deps.random());
    next = after_ms === null ? firstOf(loaded, tried.others) : null;
    const isOurs = await recordFailure(deps, loaded, failure, next !== null || after_ms !== null);
    if (after_ms !== null && isOurs) return { kind: 'over', result: { kind: 'retry', after_ms } };
    paid = sumOfUsage(paid, failure.usage ?? NO_TOKENS);
  }
  return { kind: 'over', result: DONE };
}

async function tryOut(
  deps: WorkerDependencies,
  loaded: Loaded,
  plan: FullPlan,
  summarizer: Summarizer,
  others: readonly Way[],
  signal: AbortSignal,
): Promise<Checked> {
  const { terms, view, head } = loaded;
  const { config, tokenizers } = terms;
  const { instructions, focus } = loaded.request;
  const count = counterFor(config, tokenizers);
  const { templates } = deps;
  const { model } = head.settings;
  const task = { plan, view, model, config, count, templates, instructions, focus };
  const answer = await summarise(deps, summarizer, task, signal);
  if (!answer.ok) {
    const failure = signal.aborted ? null : { model: summarizer.name, ...answer };
    return { ok: false, failure, others };
  }
  return check(loaded, plan, answer, others);
}

/** The first of the ways that leads anywhere: clearing needs something to clear. */
function firstOf(loaded: Loaded, ways: readonly Way[]) {
  const [way, ...others] = ways;
  if (way === undefined) return null;
  if (way.kind !== 'clear') return { way, others };
  const micro = planAs(loaded, 'micro');
  if (micro.kind !== 'micro') return firstOf(loaded, others);
  return { way: { kind: 'micro', plan: micro } as const, others };
}
