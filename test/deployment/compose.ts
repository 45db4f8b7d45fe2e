import { parse } from 'yaml';
import { z } from 'zod';

const duration = z.string().transform((text, context) => {
  const [, amount, unit] = /^(\d+)(s|m)$/.exec(text) ?? [];
  if (amount === undefined) {
    context.addIssue({ code: 'custom', message: `${text} is not a duration like 30s or 2m` });
    return z.NEVER;
  }
  return Number(amount) * (unit === 'm' ? 60_000 : 1_000);
});

const serviceSchema = z.object({
  build: z.string().optional(),
  image: z.string(),
  env_file: z.array(z.object({ path: z.string(), required: z.boolean() })).default([]),
  environment: z.record(z.string(), z.coerce.string()).default({}),
  command: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
  restart: z.string(),
  /** Milliseconds. */
  stop_grace_period: duration.default(10_000),
  depends_on: z
    .record(z.string(), z.object({ condition: z.string(), required: z.boolean().default(true) }))
    .default({}),
  deploy: z.object({ replicas: z.number() }).optional(),
  healthcheck: z.object({ test: z.array(z.string()) }),
});

const composeSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.unknown()),
});

type Compose = z.infer<typeof composeSchema>;
export type Service = z.infer<typeof serviceSchema>;

/** Reads a compose file with its variables filled in. Throws as `interpolate` does. */
export function readCompose(text: string, variables: Readonly<Record<string, string>>): Compose {
  const document: unknown = parse(text, { merge: true });
  return composeSchema.parse(interpolated(document, variables));
}

/** The names of the variables that a compose file asks its user for. */
export function askedFor(text: string): string[] {
  return [...text.matchAll(/\$\{(\w+)/g)].flatMap(([, name]) => name ?? []);
}

function interpolated(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return interpolate(value, variables);
  if (Array.isArray(value)) return value.map((entry) => interpolated(entry, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, interpolated(entry, variables)]),
  );
}

/** `${A}`, `${A:-default}` and `${A:?message}` as Compose reads them; throws the message. */
export function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_whole, name: string, operator: string | undefined, operand: string | undefined) => {
      const value = variables[name] ?? '';
      if (value !== '') return value;
      if (operator === '?') throw new Error(`${name}: ${operand}`);
      return operand ?? '';
    },
  );
}
