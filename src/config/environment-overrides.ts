import { z } from 'zod';
import { IN_PLAIN_WORDS } from '../domain/issue-words.ts';
import { type ConfigOverrides, configSchema } from '../domain/policy/config.ts';
import { SettingsError } from './settings-error.ts';

/**
 * Every configuration field as `PALIMPSEST_<FIELD>`, and the short names of SPEC section 15.
 * Throws SettingsError naming the variable.
 */
export function overridesFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): ConfigOverrides {
  const overrides: Record<string, unknown> = {};
  const take = (variable: string, field: keyof ConfigOverrides) => {
    const raw = environment[variable];
    if (raw === undefined || raw === '') return;
    const parsed = configSchema.shape[field].safeParse(
      parsedValue(variable, raw, field),
      IN_PLAIN_WORDS,
    );
    if (!parsed.success) {
      throw new SettingsError(`${variable}: ${parsed.error.issues[0]?.message}`);
    }
    overrides[field] = parsed.data;
  };
  // The name that Claude Code knows; ours wins where both are set.
  take('CLAUDE_AUTOCOMPACT_PCT_OVERRIDE', 'auto_compact_pct_override');
  take('AUTOCOMPACT_PCT_OVERRIDE', 'auto_compact_pct_override');
  for (const field of configSchema.keyof().options) {
    // This one also takes `extractive`, and is a setting of the server.
    if (field === 'summarization_model') continue;
    take(`PALIMPSEST_${field.toUpperCase()}`, field);
  }
  if (isOn('DISABLE_COMPACT', environment.DISABLE_COMPACT ?? '')) overrides.enabled = false;
  // Each value has just passed the schema of its field.
  return overrides as ConfigOverrides;
}

function isOn(variable: string, raw: string): boolean {
  if (/^(1|true|yes|on)$/i.test(raw)) return true;
  if (/^(0|false|no|off|)$/i.test(raw)) return false;
  throw new SettingsError(`${variable}: must be 1, which switches all compaction off, or 0`);
}

function parsedValue(variable: string, raw: string, field: keyof ConfigOverrides): unknown {
  if (configSchema.shape[field] instanceof z.ZodArray) return parsedList(variable, raw);
  if (/^(true|false|null|-?\d+(\.\d+)?)$/.test(raw)) return JSON.parse(raw);
  return raw;
}

/** Separated by commas, or a JSON array, since a phrase may hold a comma itself. */
function parsedList(variable: string, raw: string): unknown {
  if (!raw.trimStart().startsWith('[')) return raw.split(',').map((part) => part.trim());
  try {
    return JSON.parse(raw);
  } catch {
    throw new SettingsError(
      `${variable}: starts with "[" but is not a JSON array: write ["one","two"], or one,two`,
    );
  }
}
