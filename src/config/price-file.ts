import { errorMessage } from '../domain/error-message.ts';
import { IN_PLAIN_WORDS } from '../domain/issue-words.ts';
import { DEFAULT_PRICES, type PriceTable, priceTableSchema } from '../domain/policy/prices.ts';
import { readSetting } from './read-setting.ts';
import { problemsOf, SettingsError } from './settings-error.ts';

/**
 * The price table of the JSON file at `path`, in place of the one that comes with the service; without
 * a path, that one. Throws SettingsError naming file and field.
 */
export function readPrices(path: string | undefined): PriceTable {
  if (path === undefined) return DEFAULT_PRICES;
  const parsed = priceTableSchema.safeParse(parsedJson(path), IN_PLAIN_WORDS);
  if (parsed.success) return parsed.data;
  const problems = problemsOf(priceTableSchema, parsed.error);
  throw new SettingsError(`PALIMPSEST_PRICES: ${path}: ${problems}`);
}

function parsedJson(path: string): unknown {
  try {
    return JSON.parse(readSetting(path));
  } catch (error) {
    throw new SettingsError(`PALIMPSEST_PRICES: ${path} cannot be read: ${errorMessage(error)}`);
  }
}
