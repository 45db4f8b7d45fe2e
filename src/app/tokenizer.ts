import { setImmediate as nextTurn } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { Json } from '../domain/json.ts';
import type { Config, ConfigOverrides } from '../domain/policy/config.ts';
import { resolveConfig } from '../domain/policy/profiles.ts';
import { type Counted, textsToCount } from '../domain/session/counted.ts';
import type { NewSession } from '../domain/session/create-session.ts';
import type { Settings } from '../domain/session/head.ts';
import type { World } from '../domain/session/world.ts';
import { countTexts } from '../domain/tokens/budget.ts';
import { counterFor } from '../domain/tokens/tokenizers.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { StoreTroubleError } from './ports/store-trouble-error.ts';
import { StoreUnavailableError } from './ports/store-unavailable-error.ts';

type Tokenizing = Pick<Ports, 'world' | 'loadTokenizer'>;

/** Loads the tokenizer that these overrides ask for; false when nothing had to be loaded. */
export async function prepareTokenizer(
  { world, loadTokenizer }: Tokenizing,
  session: ConfigOverrides,
): Promise<boolean> {
  const name = counterName(world, session);
  if (name === 'estimate' || world.tokenizers[name] !== undefined) return false;
  await loadTokenizer(name);
  return true;
}

/**
 * Runs a command that counts the tokens of items, which are counted before it, when the session has a
 * real tokenizer. Tokenizers are large and rare: until one is loaded the command is tried first, and
 * runs again when it throws and its tokenizer turns out to be missing.
 */
export async function withCounts<T>(
  deps: Tokenizing & Pick<Ports, 'store'>,
  ref: SessionRef,
  { items, defaults }: { items: readonly Json[]; defaults: NewSession },
  run: (counted?: Counted) => Promise<T>,
): Promise<T> {
  const count = async () => {
    const head = await deps.store.head(ref);
    return countedItems(deps, head?.settings ?? defaults, items);
  };
  if (Object.keys(deps.world.tokenizers).length > 0) return run(await count());
  return withLoaded(run, async () => {
    const counted = await count();
    return counted === undefined ? null : () => run(counted);
  });
}

/** The same for a command that counts little: nothing is counted before it. */
export function withTokenizer<T>(
  deps: Tokenizing & Pick<Ports, 'store'>,
  ref: SessionRef,
  run: () => Promise<T>,
): Promise<T> {
  return withLoaded(run, async () => {
    const head = await deps.store.head(ref);
    return (await prepareTokenizer(deps, head?.settings.config ?? {})) ? run : null;
  });
}

/** `prepare` answers how to run the command again, or null when nothing was missing. */
async function withLoaded<T>(
  run: () => Promise<T>,
  prepare: () => Promise<(() => Promise<T>) | null>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    // No tokenizer is missing, and asking the store once more would hide whether it has written.
    if (error instanceof StoreUnavailableError || error instanceof StoreTroubleError) throw error;
    const again = await prepare();
    if (again === null) throw error;
    return again();
  }
}

/** One request counts at a time: the pauses of many would follow each other without a break. */
const counting = new PQueue({ concurrency: 1 });

/** The tokens of the items' texts, counted with pauses; undefined without a real tokenizer. */
export async function countedItems(
  deps: Tokenizing,
  settings: Pick<Settings, 'format' | 'profile' | 'config' | 'context_window'>,
  items: readonly Json[],
): Promise<Counted | undefined> {
  const { world } = deps;
  const config = resolveConfig({ ...settings, server: world.server, session: settings.config });
  if (config.token_counter === 'estimate') return undefined;
  const tokenizer = config.token_counter;
  await prepareTokenizer(deps, settings.config);
  const count = counterFor(config, world.tokenizers);
  const work = countTexts(textsToCount(settings.format, config, items), count);
  const tokens = await counting.add(async () => {
    for (let step = work.next(); ; step = work.next()) {
      if (step.done === true) return step.value;
      await nextTurn();
    }
  });
  return { tokenizer, tokens };
}

function counterName(world: World, session: ConfigOverrides): Config['token_counter'] {
  return session.token_counter ?? world.server.token_counter ?? 'estimate';
}
