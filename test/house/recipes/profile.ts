import type { Recipe } from './recipe.ts';

export const profile: Recipe = {
  name: 'A profile',
  most: 2,
  steps: [
    {
      path: 'src/domain/policy/profiles.ts',
      kind: 'first',
      change: { after: "  'codex-classic',\n", insert: "  'gentle',\n" },
    },
    {
      path: 'src/domain/policy/profiles.ts',
      kind: 'needed',
      change: {
        after: '  switch (profile) {\n',
        insert: "    case 'gentle':\n      return { ...BASE_CONFIG, free_space_buffer: 60_000 };\n",
      },
    },
    {
      path: 'src/domain/policy/profile-descriptions.ts',
      kind: 'needed',
      change: {
        after: 'export const PROFILE_DESCRIPTIONS: Record<Profile, string> = {\n',
        insert: "  gentle: 'For agents that are never in a hurry.',\n",
      },
    },
  ],
};
