import type { Recipe } from './recipe.ts';

export const mode: Recipe = {
  name: 'A mode',
  most: 2,
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
  ],
};
