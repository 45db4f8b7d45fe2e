import { parse as parseToml, TomlError } from 'smol-toml';
import { z } from 'zod';
import { errorMessage } from '../domain/error-message.ts';
import { IN_PLAIN_WORDS } from '../domain/issue-words.ts';
import { configOverridesSchema } from '../domain/policy/config.ts';
import { PROVIDERS } from '../workers/summarizers/providers.ts';
import { hookTables } from './hook-table.ts';
import { readSetting } from './read-setting.ts';
import { problemsOf, SettingsError } from './settings-error.ts';

const fileSchema = z.strictObject({
  compact: configOverridesSchema.default({}),
  hooks: hookTables.default([]),
  models: z.partialRecord(z.enum(PROVIDERS), z.string().min(1).max(200)).default({}),
});
type TomlFile = z.infer<typeof fileSchema>;

/**
 * The settings of the TOML file at `path`; of a file that nobody named (undefined), those of an empty
 * one. Throws SettingsError naming file and field, also for tables and fields that there are not.
 */
export function readTomlFile(path: string | undefined): TomlFile {
  const parsed = fileSchema.safeParse(path === undefined ? {} : parsedToml(path), IN_PLAIN_WORDS);
  if (parsed.success) return parsed.data;
  throw new SettingsError(`PALIMPSEST_CONFIG: ${path}: ${problemsOf(fileSchema, parsed.error)}`);
}

function parsedToml(path: string): unknown {
  try {
    return parseToml(readSetting(path));
  } catch (error) {
    throw new SettingsError(`PALIMPSEST_CONFIG: ${path} cannot be read: ${reasonOf(error)}`);
  }
}

/** Never the lines around the place, which the parser quotes: the URL of a hook may hold a token. */
function reasonOf(error: unknown): string {
  if (error instanceof TomlError) {
    const [problem] = error.message.split('\n', 1);
    return `${problem} (line ${error.line}, column ${error.column})`;
  }
  return errorMessage(error);
}
