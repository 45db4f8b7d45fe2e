import { z } from '@hono/zod-openapi';
import { configSchema } from '../../domain/policy/config.ts';
import { CONFIG_FIELDS } from './config-fields.ts';
import { described } from './described.ts';

const fields = described(configSchema.shape, CONFIG_FIELDS);

/** Registered under a name here: the domain's schema knows nothing of OpenAPI. */
export const effectiveConfig = z.strictObject(fields).openapi('Config', {
  description: 'The configuration in force: profile, then server, then session.',
});

export const configOverrides = z
  .strictObject(z.object(fields).partial().shape)
  .openapi('ConfigOverrides', {
    description: 'Fields of the configuration that differ from the profile.',
    example: { auto_compact_pct_override: 80, token_counter: 'estimate' },
  });

export const MAX_CONTEXT_WINDOW = 100_000_000;
