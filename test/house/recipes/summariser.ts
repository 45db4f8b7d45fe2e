import type { Recipe } from './recipe.ts';

const OUTLINE = `import { truncateMiddle } from '../../domain/tokens/truncate.ts';
import { extractive } from './extractive.ts';
import type { Summarizer, WrittenText } from './summarizer.ts';

/** Half as long as the extractive summary. */
export const outline: Summarizer<WrittenText> = {
  kind: 'offline',
  name: 'outline',
  summarize: async (task, signal) => {
    const written = await extractive.summarize(task, signal);
    if (!written.ok) return written;
    const most = Math.floor(task.plan.summary_budget / 2);
    const text = truncateMiddle(written.summary.text, most, task.count);
    return { ...written, summary: { ...written.summary, text, summarizer: 'outline' } };
  },
};
`;

export const summariser: Recipe = {
  name: 'A summariser',
  most: 3,
  steps: [
    {
      path: 'src/domain/policy/config.ts',
      kind: 'first',
      change: {
        after: "export const OFFLINE_SUMMARIZERS = ['extractive'",
        insert: ", 'outline'",
      },
    },
    {
      path: 'src/workers/summarizers/registry.ts',
      kind: 'needed',
      change: [
        {
          after: "import { ModelNameError, type ProviderEnvironment } from './providers.ts';\n",
          insert: "import { outline } from './outline.ts';\n",
        },
        { after: 'TextSummarizer>> = { extractive', insert: ', outline' },
      ],
    },
    {
      path: 'src/workers/summarizers/outline.ts',
      kind: 'further',
      change: { create: OUTLINE },
    },
  ],
};
