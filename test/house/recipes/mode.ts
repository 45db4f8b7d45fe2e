import type { Recipe } from './recipe.ts';

export const mode: Recipe = {
  name: 'A mode',
  most: 3,
  steps: [
    {
      path: 'src/domain/session/events.ts',
      kind: 'first',
      change: {
        after: "export const modeSchema = z.enum(['auto', 'micro', 'full', 'remote'",
        insert: ", 'gentle'",
      },
    },
    {
      path: 'src/domain/compaction/plan.ts',
      kind: 'needed',
      change: {
        after: '  switch (request.mode) {\n',
        insert: "    case 'gentle':\n      return skip('not_effective', 'it never hurries');\n",
      },
    },
    {
      path: 'src/api/pages/parts/reasons.ts',
      kind: 'needed',
      change: {
        after: "  full: 'a summary',\n",
        insert: "  gentle: 'nothing in a hurry',\n",
      },
    },
  ],
};
