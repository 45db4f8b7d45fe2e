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
    name: z.enum(PROFILES),
    description: z.string(),
    context_window: z.int(),
    config: effectiveConfig,
    problem: z
      .string()
      .nullable()
      .openapi({ description: 'Why a session with this profile and window is refused.' }),
  })
  .openapi('Profile');

export const profileList = z.object({ data: z.array(profileBody), next_cursor: z.null() });
