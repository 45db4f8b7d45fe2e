import { z } from 'zod';
import { HOOK_EVENTS } from '../domain/session/events.ts';
import type { HookSettings } from '../workers/hooks/hook-settings.ts';
import { SettingsError } from './settings-error.ts';

/** Shorter secrets could be guessed from one signed request. */
const SHORTEST_SECRET = 16;

/** One `[[hooks]]` table of the TOML file (SPEC section 16). */
const hookTable = z
  .strictObject({
    event: z.enum(HOOK_EVENTS),
    url: z.string().superRefine((url, context) => {
      const problem = urlProblem(url);
      if (problem !== null) context.addIssue({ code: 'custom', message: problem });
    }),
    name: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,64}$/, 'use letters, digits, ".", "_" and "-", at most 64')
      .optional(),
    secret_env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable'),
    required: z.boolean().default(false),
    timeout_seconds: z.number().gt(0).max(60).default(10),
  })
  .refine(({ event, required }) => event !== 'PostCompact' || !required, {
    path: ['required'],
    message: 'a PostCompact hook is called when the compaction is over: nothing can depend on it',
  });
type HookTable = z.infer<typeof hookTable>;

/** The `[[hooks]]` tables of a file, in their order; no name is there twice. */
export const hookTables = z
  .array(hookTable)
  .max(100)
  .superRefine((tables, context) => {
    const names = tables.map(nameOf);
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      const message = `there are two hooks with the name "${name}"`;
      context.addIssue({ code: 'custom', path: [index, 'name'], message });
    }
  });

/**
 * The hooks with their secrets, which come from the environment only. Throws SettingsError naming the
 * variable of a secret that is missing or too short.
 */
export function hookSettings(
  tables: readonly HookTable[],
  environment: Readonly<Record<string, string | undefined>>,
): HookSettings[] {
  return tables.map((table, index) => {
    const { secret_env, ...rest } = table;
    const name = nameOf(table, index);
    const secret = environment[secret_env] ?? '';
    if (secret.length >= SHORTEST_SECRET) return { ...rest, name, secret };
    throw new SettingsError(
      `${secret_env}: hook "${name}" signs its calls with it: set it to at least ${SHORTEST_SECRET} characters`,
    );
  });
}

function nameOf({ name, event }: HookTable, index: number): string {
  return name ?? `${event}-${index + 1}`;
}

/** Never with the URL itself: it may hold a token. */
function urlProblem(url: string): string | null {
  if (!URL.canParse(url)) return 'must be a URL';
  const { protocol, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'must start with http:// or https://';
  if (username === '' && password === '') return null;
  return 'must not hold a user or a password: the signature tells who calls';
}
