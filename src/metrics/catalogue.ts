/**
 * What is measured: the metrics of `/metrics`, each with its kind, its help and its labels
 * (docs/operations.md). Seconds, tokens and numbers; labels never carry ids, names or text of clients.
 */

const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const SLOW = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export const CATALOGUE = {
  palimpsest_http_requests_total: {
    kind: 'counter',
    help: 'Requests answered, by the pattern of their path.',
    labels: ['method', 'route', 'status'],
  },
  palimpsest_http_request_duration_seconds: {
    kind: 'histogram',
    help: 'Time until an answer began, what the client asked to wait for included.',
    labels: ['method', 'route'],
    buckets: FAST,
  },
  palimpsest_items_appended_total: {
    kind: 'counter',
    help: 'Items written to logs.',
    labels: [],
  },
  palimpsest_tokens_appended_total: {
    kind: 'counter',
    help: 'Estimated tokens of the items written.',
    labels: [],
  },
  palimpsest_compactions_requested_total: {
    kind: 'counter',
    help: 'Compactions requested.',
    labels: ['trigger', 'mode', 'profile'],
  },
  palimpsest_compactions_ended_total: {
    kind: 'counter',
    help: 'Compactions that have ended, by what came of them.',
    labels: ['outcome', 'trigger', 'profile'],
  },
  palimpsest_compactions_observed_total: {
    kind: 'counter',
    help: 'Compactions that clients made themselves.',
    labels: ['profile'],
  },
  palimpsest_compactions_reverted_total: {
    kind: 'counter',
    help: 'Compactions that were undone.',
    labels: ['kind', 'profile'],
  },
  palimpsest_tokens_saved_total: {
    kind: 'counter',
    help: 'Estimated tokens that compactions took out of contexts, less what they put there.',
    labels: ['mode', 'profile'],
  },
  palimpsest_compaction_duration_seconds: {
    kind: 'histogram',
    help: 'Time of what compactions consist of: the last attempt, its summary, each hook.',
    labels: ['phase'],
    buckets: SLOW,
  },
  palimpsest_compaction_failures_total: {
    kind: 'counter',
    help: 'Attempts at compactions that failed, by their reason.',
    labels: ['reason', 'will_retry'],
  },
  palimpsest_model_tokens_total: {
    kind: 'counter',
    help: 'Tokens of models that wrote summaries, as providers count them.',
    labels: ['model', 'kind'],
  },
  palimpsest_model_calls_total: {
    kind: 'counter',
    help: 'Calls of models that were to write summaries, by what came of them.',
    labels: ['provider', 'model', 'outcome'],
  },
  palimpsest_hooks_total: {
    kind: 'counter',
    help: 'Hooks that were called.',
    labels: ['event', 'ok'],
  },
  palimpsest_breaker_changes_total: {
    kind: 'counter',
    help: 'Sessions whose automatic compaction was stopped after failures, or allowed again.',
    labels: ['change'],
  },
  palimpsest_store_duration_seconds: {
    kind: 'histogram',
    help: 'Time that the store took to answer.',
    labels: ['operation'],
    buckets: FAST,
  },
  palimpsest_store_errors_total: {
    kind: 'counter',
    help: 'Calls of the store that failed.',
    labels: ['operation'],
  },
  palimpsest_compactions_pending: {
    kind: 'gauge',
    help: 'Compactions of the whole store that have not ended, at most 10,000.',
    labels: [],
  },
  palimpsest_oldest_pending_compaction_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest compaction that has not ended; 0 without one.',
    labels: [],
  },
  palimpsest_search_index_waiting_sessions: {
    kind: 'gauge',
    help: 'Sessions that this process knows to have something that is not indexed.',
    labels: [],
  },
  palimpsest_search_index_lag_seconds: {
    kind: 'gauge',
    help: 'For how long the first of them has waited; 0 without one.',
    labels: [],
  },
  palimpsest_search_duration_seconds: {
    kind: 'histogram',
    help: 'Time of searches, with their wait for the index.',
    labels: ['scope', 'way'],
    buckets: FAST,
  },
  palimpsest_gateway_turns_total: {
    kind: 'counter',
    help: 'Requests to the gateway for an answer, by what came of them.',
    labels: ['protocol', 'status'],
  },
  palimpsest_gateway_bypasses_total: {
    kind: 'counter',
    help: 'Requests that went past the gateway, by the reason.',
    labels: ['reason'],
  },
  palimpsest_gateway_added_seconds: {
    kind: 'histogram',
    help: 'Time that the gateway took before a request went upstream, or was answered here.',
    labels: ['protocol'],
    buckets: FAST,
  },
} as const satisfies { [name: string]: Description };

type Description = {
  kind: 'counter' | 'histogram' | 'gauge';
  help: string;
  labels: readonly string[];
  buckets?: readonly number[];
};

type Catalogue = typeof CATALOGUE;
export type MetricName = keyof Catalogue;

/** One thing that was measured: plain data, so that threads can tell it. */
export type Measurement = {
  [N in MetricName]: {
    metric: N;
    labels: { [L in Catalogue[N]['labels'][number]]: string };
    value: number;
  };
}[MetricName];
