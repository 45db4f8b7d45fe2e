import { MODEL_CALL, type Observe } from '../app/ports/observe.ts';
import type { Record } from './registry.ts';

/** Steps of compactions as `observe` tells of them, with each call of a model counted. */
export function measuredSteps(observe: Observe, record: Record): Observe {
  return (step, run, outcome) =>
    observe(step, run, (value) => {
      const came = outcome(value);
      if (step.name === MODEL_CALL) {
        const model = String(step.facts.model);
        // A provider is one of a table: what a session has made up is never asked.
        const [provider = model] = model.split('/');
        const labels = { provider, model, outcome: came.failed === true ? came.outcome : 'ok' };
        record({ metric: 'palimpsest_model_calls_total', labels, value: 1 });
      }
      return came;
    });
}
