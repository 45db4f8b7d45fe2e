import { z } from '@hono/zod-openapi';
import { configSchema } from '../../domain/policy/config.ts';
/** Registered under a name here: the domain's schema knows nothing of OpenAPI. */
export const effectiveConfig = z.strictObject(configSchema.shape).openapi('Config', {
  description: 'The configuration in force: profile, then server, then session.',
});

export const MAX_CONTEXT_WINDOW = 100_000_000;
