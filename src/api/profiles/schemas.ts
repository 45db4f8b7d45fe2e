import { z } from '@hono/zod-openapi';
import { PROFILES } from '../../domain/policy/profiles.ts';
import { wholeNumber } from '../schemas/common.ts';
import { effectiveConfig, MAX_CONTEXT_WINDOW } from '../schemas/config.ts';

export const profilesQuery = z.object({
  context_window: wholeNumber(
    1,
    MAX_CONTEXT_WINDOW,
    'Window in tokens that the figures are for; default 200000.',
  ).optional(),
});

const profileBody = z
  .object({
    name: z.enum(PROFILES).describe('What sessions call it, as `profile`.'),
    description: z.string().describe('When to choose it.'),
    context_window: z.int().describe('Tokens of the window that the figures are for.'),
    config: effectiveConfig,
    problem: z
      .string()
      .nullable()
      .openapi({ description: 'Why a session with this profile and window is refused.' }),
  })
  .openapi('Profile', { description: 'A named set of defaults, with all its figures.' });

export const profileList = z.object({
  data: z.array(profileBody).describe('All profiles.'),
  next_cursor: z.null().describe('Always null: there is one page.'),
});
