import { modelSummarizer } from '../../src/workers/summarizers/model.ts';
import type { SummarizerChoice } from '../../src/workers/summarizers/registry.ts';

/** A summariser whose model gives one and the same answer, for tests of what is made of it. */
export function answering(text: string): SummarizerChoice {
  const usage = { input: 10, output: 5, cache_read: 0, cache_creation: 0 };
  const name = 'stub/model';
  return modelSummarizer({
    name,
    context_window: 200_000,
    ask: async () => ({ ok: true, text, is_cut_off: false, model: name, usage }),
  });
}
