import type { EventStore, SessionRef } from '../db/event-store.ts';
import { StoreUnavailableError } from '../db/store-unavailable-error.ts';
import type { Config, ConfigOverrides } from '../domain/policy/config.ts';
import type { World } from '../domain/session/world.ts';
import type { AppDependencies } from './app-dependencies.ts';

type Dependencies = Pick<AppDependencies, 'world' | 'loadTokenizer'> & { store: EventStore };

/** Loads the tokenizer that these overrides ask for; false when nothing had to be loaded. */
export async function prepareTokenizer(
  { world, loadTokenizer }: Pick<AppDependencies, 'world' | 'loadTokenizer'>,
  session: ConfigOverrides,
): Promise<boolean> {
  const name = counterName(world, session);
  if (name === 'estimate' || world.tokenizers[name] !== undefined) return false;
  await loadTokenizer(name);
  return true;
}

/**
 * Runs a command that counts tokens. Tokenizers are large and rare, so the command is tried first:
 * when it throws and its tokenizer turns out not to be loaded, that is done and it runs again.
 */
export async function withTokenizer<T>(
  deps: Dependencies,
  ref: SessionRef,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    // No tokenizer is missing, and asking the store once more would hide whether it has written.
    if (error instanceof StoreUnavailableError) throw error;
    const head = await deps.store.head(ref);
    if (!(await prepareTokenizer(deps, head?.settings.config ?? {}))) throw error;
    return run();
  }
}

function counterName(world: World, session: ConfigOverrides): Config['token_counter'] {
  return session.token_counter ?? world.server.token_counter ?? 'estimate';
}
