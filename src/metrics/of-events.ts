import type { Usage } from '../domain/items/item.ts';
import type { NewEvent } from '../domain/session/events.ts';
import type { Head } from '../domain/session/head.ts';
import type { Measurement } from './catalogue.ts';

/** What events say that were committed on a head (null: they created the session). */
export function measurementsOf(before: Head | null, events: readonly NewEvent[]): Measurement[] {
  const created = events.find((event) => event.type === 'session.created');
  const profile = created?.data.profile ?? before?.settings.profile ?? 'default';
  let trigger = before?.state.running?.trigger ?? 'manual';
  const measured: Measurement[] = [];
  const items = { count: 0, tokens: 0 };
  for (const event of events) {
    if (event.type === 'compaction.requested') trigger = event.data.trigger;
    if (event.type === 'item.appended') {
      items.count += 1;
      items.tokens += event.data.tokens;
    } else measured.push(...ofEvent(event, { profile, trigger }));
  }
  if (items.count > 0) {
    measured.push(
      { metric: 'palimpsest_items_appended_total', labels: {}, value: items.count },
      { metric: 'palimpsest_tokens_appended_total', labels: {}, value: items.tokens },
    );
  }
  return measured;
}

type About = { profile: string; trigger: string };

function ofEvent(event: NewEvent, { profile, trigger }: About): Measurement[] {
  const ended = (outcome: string): Measurement => ({
    metric: 'palimpsest_compactions_ended_total',
    labels: { outcome, trigger, profile },
    value: 1,
  });
  switch (event.type) {
    case 'compaction.requested': {
      const { mode } = event.data;
      const labels = { trigger, mode, profile };
      return [{ metric: 'palimpsest_compactions_requested_total', labels, value: 1 }];
    }
    case 'compaction.micro_completed': {
      const { tokens_saved, duration_ms } = event.data;
      return [ended('micro_compacted'), saved('micro', profile, tokens_saved), took(duration_ms)];
    }
    case 'compaction.completed': {
      const { mode, report } = event.data;
      return [
        ended(`${mode}_compacted`),
        saved(mode, profile, report.covered_tokens - report.replacement_tokens),
        took(report.duration_ms),
        took(report.summarizer_ms, 'summary'),
        ...tokensOf(report.model, report.usage),
      ];
    }
    case 'compaction.proposed': {
      const { candidate } = event.data;
      if (candidate.type === 'compaction.micro_completed') {
        return [ended('proposed'), took(candidate.data.duration_ms)];
      }
      const { duration_ms, summarizer_ms, model, usage } = candidate.data.report;
      return [
        ended('proposed'),
        took(duration_ms),
        took(summarizer_ms, 'summary'),
        ...tokensOf(model, usage),
      ];
    }
    case 'compaction.discarded':
      return [ended('discarded')];
    case 'compaction.skipped': {
      const { reason, model, usage } = event.data;
      const isNeeded = reason !== 'below_threshold' && reason !== 'too_few_tokens';
      return [ended(isNeeded ? 'skipped' : 'not_needed'), ...tokensOf(model ?? null, usage)];
    }
    case 'compaction.failed': {
      const { reason, will_retry, model, usage } = event.data;
      const labels = { reason, will_retry: String(will_retry) };
      return [
        { metric: 'palimpsest_compaction_failures_total', labels, value: 1 },
        ...tokensOf(model ?? null, usage),
        ...(will_retry ? [] : [ended('failed')]),
      ];
    }
    case 'compaction.cancelled':
      return [ended('cancelled')];
    case 'compaction.observed':
      return [{ metric: 'palimpsest_compactions_observed_total', labels: { profile }, value: 1 }];
    case 'compaction.reverted': {
      const labels = { kind: event.data.kind, profile };
      return [{ metric: 'palimpsest_compactions_reverted_total', labels, value: 1 }];
    }
    case 'hook.ran': {
      const { event: name, ok, duration_ms } = event.data;
      const labels = { event: name, ok: String(ok) };
      return [{ metric: 'palimpsest_hooks_total', labels, value: 1 }, took(duration_ms, 'hook')];
    }
    case 'breaker.opened':
      return [breaker('opened')];
    case 'breaker.closed':
      return [breaker('closed')];
    default:
      return [];
  }
}

function saved(mode: string, profile: string, tokens: number): Measurement {
  // One may come out larger than what it replaced; a counter only grows.
  const value = Math.max(0, tokens);
  return { metric: 'palimpsest_tokens_saved_total', labels: { mode, profile }, value };
}

function took(ms: number, phase: 'attempt' | 'summary' | 'hook' = 'attempt'): Measurement {
  const metric = 'palimpsest_compaction_duration_seconds';
  return { metric, labels: { phase }, value: ms / 1000 };
}

function tokensOf(model: string | null, usage: Usage | undefined): Measurement[] {
  if (model === null || usage === undefined) return [];
  return Object.entries(usage).flatMap(([kind, value]) =>
    value === 0
      ? []
      : [{ metric: 'palimpsest_model_tokens_total', labels: { model, kind }, value } as const],
  );
}

function breaker(change: 'opened' | 'closed'): Measurement {
  return { metric: 'palimpsest_breaker_changes_total', labels: { change }, value: 1 };
}
