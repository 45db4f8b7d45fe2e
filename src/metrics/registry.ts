import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { CATALOGUE, type Measurement, type MetricName } from './catalogue.ts';

/**
 * Models that have a name of their own in a metric; the others share one. Each metric has its own, so that
 * names that were only tried, and never answered, take no place from those that cost something.
 */
const MOST_MODELS = 50;

export type Record = (measurement: Measurement) => void;

/** What is asked when somebody looks: it would be out of date otherwise. */
type Collect = () => Promise<readonly Measurement[]>;

type Metrics = {
  record: Record;
  /** The page of `/metrics`, in the text format of Prometheus. */
  page: () => Promise<{ type: string; text: string }>;
};

/**
 * The metrics of one process: those of the catalogue, and from the first page on those of Node itself.
 * `collect` measures the gauges; what it cannot say then is left out of the page.
 */
export function openMetrics(collect: Collect): Metrics {
  const registry = new Registry();
  let looksAtNode = false;
  // `Object.keys` forgets what the keys are.
  const names = Object.keys(CATALOGUE) as MetricName[];
  const metrics = new Map(names.map((name) => [name, metricOf(name, registry)]));
  const models = new Map<MetricName, Set<string>>();
  const record: Record = ({ metric, labels, value }) => {
    metrics.get(metric)?.(
      'model' in labels ? { ...labels, model: known(metric, labels.model) } : labels,
      value,
    );
  };
  const known = (metric: MetricName, model: string) => {
    const named = models.get(metric) ?? new Set();
    models.set(metric, named);
    if (named.size < MOST_MODELS) named.add(model);
    return named.has(model) ? model : 'other';
  };
  return {
    record,
    page: async () => {
      // Watching the event loop wakes the process a hundred times a second: not before somebody looks.
      if (!looksAtNode) collectDefaultMetrics({ register: registry });
      looksAtNode = true;
      for (const name of names) {
        if (CATALOGUE[name].kind === 'gauge') registry.getSingleMetric(name)?.remove({});
      }
      for (const measurement of await collect()) record(measurement);
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}

type Put = (labels: { [label: string]: string }, value: number) => void;

function metricOf(name: MetricName, registry: Registry): Put {
  const described = CATALOGUE[name];
  const options = { name, help: described.help, labelNames: [...described.labels] };
  const registers = [registry];
  switch (described.kind) {
    case 'counter': {
      const counter = new Counter({ ...options, registers });
      return (labels, value) => counter.inc(labels, value);
    }
    case 'gauge': {
      const gauge = new Gauge({ ...options, registers });
      return (labels, value) => gauge.set(labels, value);
    }
    case 'histogram': {
      const buckets = [...described.buckets];
      const histogram = new Histogram({ ...options, buckets, registers });
      return (labels, value) => histogram.observe(labels, value);
    }
    default:
      return described satisfies never;
  }
}
