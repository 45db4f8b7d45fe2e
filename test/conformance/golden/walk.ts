import type { StoredEvent } from '../../../src/app/ports/event-store.ts';
import type { NewSession } from '../../../src/domain/session/create-session.ts';
import type { EventData } from '../../../src/domain/session/events.ts';
import { observeSignal } from '../../../src/domain/session/observe-signal.ts';
import { modelSummarizer } from '../../../src/workers/summarizers/model.ts';
import { ofTokens, user } from '../../support/items.ts';
import { renderContext } from '../../support/render-context.ts';
import { SessionLab } from '../../support/session-lab.ts';
import { summaryText } from '../../support/summary-text.ts';
import { STEPS, type Told } from './script.ts';

/** What one step came to: context tokens after it, and what happened, in words. */
export type Walked = { label: string; tokens: number; happened: string[] };
export type Walk = { steps: Walked[]; contexts: string };

/**
 * Takes the conversation through a profile, with the real store, worker and prompts; only the summaries
 * are scripted. Answers each step and, around each compaction, the context with one line per item.
 */
export async function walk(session: Partial<NewSession>): Promise<Walk> {
  const lab = await SessionLab.open('anthropic', {
    context_window: 200_000,
    config: {},
    initial_context: [user(`You are a careful engineer. ${ofTokens(43)}`)],
    ...session,
  });
  try {
    return await new Walker(lab).run();
  } finally {
    await lab.close();
  }
}

class Walker {
  readonly #lab: SessionLab;
  readonly #contexts: string[] = [];
  #summaries = 0;
  #seen = 0;

  constructor(lab: SessionLab) {
    this.#lab = lab;
    lab.summarizer = modelSummarizer({
      name: 'scripted/model',
      context_window: 1_000_000,
      ask: async () => {
        this.#summaries += 1;
        const n = this.#summaries;
        return {
          ok: true,
          text: `<analysis>\nnotes ${n}\n</analysis>\n\n<summary>\nSummary ${n} ${longSummary()}\n</summary>`,
          is_cut_off: false,
          model: 'scripted/model',
          usage: { input: 1_000, output: 1_600, cache_read: 0, cache_creation: 0 },
        };
      },
    });
  }

  async run(): Promise<Walk> {
    const steps: Walked[] = [];
    for (const { label, items, before, after } of STEPS) {
      const happened: string[] = [];
      if (before !== undefined) await this.#tell(label, before, happened);
      const appended = await this.#lab.append(items);
      if (!appended.ok) throw new Error(`${label}: ${appended.rejection.detail}`);
      const { tokens, is_above_error, is_above_warning } = appended.value.context;
      if (appended.value.note !== null) happened.push('note');
      if (is_above_error) happened.push('error level');
      else if (is_above_warning) happened.push('warning level');
      await this.#goOn(label, happened);
      if (after !== undefined) await this.#tell(label, after, happened);
      steps.push({ label, tokens, happened });
    }
    return { steps, contexts: this.#contexts.join('\n') };
  }

  async #tell(label: string, signal: Told, happened: string[]): Promise<void> {
    const now = this.#lab.now();
    const outcome = await this.#lab.commit(
      observeSignal(this.#lab.world, {
        signal,
        ...(signal === 'sampling_complete' && { needs_follow_up: true }),
        compaction_id: this.#lab.newId(),
        packet_prompt: { text: 'Write the packet.', version: 'packet@1' },
        now_ms: now.getTime(),
        at: now.toISOString(),
      }),
    );
    if (!outcome.ok) throw new Error(`${label}: ${outcome.rejection.detail}`);
    await this.#goOn(label, happened);
  }

  /** Runs the compaction under way, if there is one, and takes down the context before and after it. */
  async #goOn(label: string, happened: string[]): Promise<void> {
    const { running } = (await this.#lab.head()).state;
    const before = await this.#lab.view();
    if (running !== null) await this.#lab.work(running.id);
    const events = (await this.#lab.events()).slice(this.#seen);
    this.#seen += events.length;
    const said = events.flatMap(say);
    happened.push(...said);
    if (running === null) return;
    const { entries } = await this.#lab.view();
    this.#contexts.push(
      `=== ${label}: ${said.join('; ')}\n\nbefore\n${renderContext('anthropic', before.entries)}\n` +
        `after\n${renderContext('anthropic', entries)}`,
    );
  }
}

/** The events that tell the profiles apart, in a few words each. */
function say(event: StoredEvent): string[] {
  switch (event.type) {
    case 'compaction.requested':
      return [sayRequest(event.data)];
    case 'compaction.micro_completed': {
      const { edits, tokens_before, tokens_after } = event.data;
      const ids = (kind: string) =>
        edits.filter((edit) => edit.kind === kind).map((edit) => edit.tool_use_id);
      const parts = (['truncated', 'cleared'] as const)
        .filter((kind) => ids(kind).length > 0)
        .map((kind) => `${kind} ${ids(kind).join(' ')}`);
      return [`${parts.join(', ')}: ${tokens_before} -> ${tokens_after}`];
    }
    case 'compaction.completed': {
      const { tokens_before, tokens_after } = event.data.report;
      return [`summarised: ${tokens_before} -> ${tokens_after}`];
    }
    case 'compaction.skipped':
      return [`skipped ${event.data.reason}`];
    case 'compaction.threshold_exceeded':
      return ['still above the threshold'];
    case 'item.appended':
      if (event.data.excluded !== undefined) return ['kept out of the context'];
      return event.data.source === undefined ? [] : [`${event.data.source} ${event.data.tokens}t`];
    case 'compaction.failed':
    case 'preflight.armed':
    case 'packet.requested':
    case 'breaker.opened':
      return [event.type];
    default:
      return [];
  }
}

function sayRequest({ trigger, attribution, before }: EventData['compaction.requested']): string {
  const { path, tier, percent_remaining, boundaries } = attribution;
  const why = tier === null ? '' : ` (${tier}, ${percent_remaining} % left)`;
  const on = boundaries.length === 0 ? '' : ` on ${boundaries.join(', ')}`;
  return `${trigger} by ${path}${why}${on}${before === undefined ? '' : ` before ${before}`}`;
}

/** A summary of 1,500 tokens that tells something else with each word. */
function longSummary(): string {
  const words = Array.from({ length: 1_000 }, (_, n) => `w${n}`).join(' ');
  return `${summaryText()} ${words}`.slice(0, 6_000).padEnd(6_000);
}
