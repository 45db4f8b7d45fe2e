import type { Recipe } from './recipe.ts';

export const provider: Recipe = {
  name: 'A provider of models',
  most: 1,
  steps: [
    {
      path: 'src/workers/summarizers/providers.ts',
      kind: 'first',
      change: {
        after:
          '/** All that is known of each provider. The order is the order of preference. */\nconst TABLE = {\n',
        insert: `  mistral: {
    keys: ['MISTRAL_API_KEY'],
    baseUrl: 'MISTRAL_BASE_URL',
    defaultBaseUrl: 'https://api.mistral.ai/v1',
    api: 'chat-completions',
    defaultModel: 'mistral-small-latest',
    family: /^mistral/,
  },
`,
      },
    },
  ],
};
