import type { Recipe } from './recipe.ts';

export const event: Recipe = {
  name: 'An event',
  most: 4,
  steps: [
    {
      path: 'src/domain/session/events.ts',
      kind: 'first',
      change: {
        after: "  'breaker.closed': z.strictObject({ reason: z.enum(['success', 'timeout']) }),\n",
        insert: "  'session.pinned': z.strictObject({ seq: version }),\n",
      },
    },
    {
      path: 'src/domain/session/events.ts',
      kind: 'needed',
      change: { after: "  'breaker.closed': null,\n", insert: "  'session.pinned': null,\n" },
    },
    {
      path: 'src/domain/session/evolve.ts',
      kind: 'needed',
      change: { after: "    case 'hook.ran':\n", insert: "    case 'session.pinned':\n" },
    },
    {
      path: 'src/domain/session/rollout.ts',
      kind: 'needed',
      change: { after: "    case 'breaker.closed':\n", insert: "    case 'session.pinned':\n" },
    },
  ],
};
