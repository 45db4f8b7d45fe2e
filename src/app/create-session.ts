import type { ConfigOverrides } from '../domain/policy/config.ts';
import { DEFAULT_CONTEXT_WINDOW } from '../domain/policy/profiles.ts';
import { createSession as creation, type NewSession } from '../domain/session/create-session.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import type { Ports } from './ports/ports.ts';
import { stateOf } from './session-state.ts';
import { countedItems } from './tokenizer.ts';

/** What an append to a new id creates; a session that is created starts from the same. */
export function defaultSession(): NewSession {
  return {
    format: 'anthropic',
    profile: 'default',
    config: {},
    model: null,
    context_window: DEFAULT_CONTEXT_WINDOW,
    initial_context: [],
    metadata: {},
  };
}

export type CreatePorts = Pick<
  Ports,
  'store' | 'world' | 'clock' | 'newId' | 'loadTokenizer' | 'contextWindowOf' | 'modelRefusal'
>;

/**
 * Creates a session, under a new id if none is given; what is not chosen is as `defaultSession` says,
 * the window as large as the model's where that is known. Rejects: session_exists, invalid_item,
 * invalid_config.
 */
export async function createSession(
  ports: CreatePorts,
  tenant: string,
  { id, ...chosen }: Partial<Omit<NewSession, 'counted'>> & { id?: string },
) {
  const allowed = allowedModel(ports, chosen.config ?? {});
  if (!allowed.ok) return allowed;
  const ref = { tenant, session_id: id ?? ports.newId() };
  const { model = null } = chosen;
  const known = model === null ? null : ports.contextWindowOf(model);
  const session: NewSession = {
    ...defaultSession(),
    context_window: known ?? DEFAULT_CONTEXT_WINDOW,
    ...chosen,
  };
  const counted = await countedItems(ports, session, session.initial_context);
  const at = ports.clock.now().toISOString();
  const command = creation(ports.world, { ...session, counted });
  const committed = await ports.store.commit(ref, command, { at });
  if (!committed.ok) return committed;
  return accept({
    ...stateOf(ref, committed.value.value, ports.world),
    note: windowNote(ports, chosen, session.context_window),
  });
}

/** Rejects with invalid_config a model that the session may not name. */
export function allowedModel(
  { modelRefusal }: Pick<Ports, 'modelRefusal'>,
  config: ConfigOverrides,
): Outcome<null> {
  const refusal = modelRefusal(config);
  return refusal === null ? accept(null) : reject('invalid_config', refusal);
}

/** Says when a model came without its window, and the one in force may be another than the model's. */
export function windowNote(
  { contextWindowOf }: Pick<Ports, 'contextWindowOf'>,
  { model = null, context_window }: { model?: string | null; context_window?: number },
  inForce: number,
): string | null {
  if (model === null || context_window !== undefined) return null;
  const known = contextWindowOf(model);
  if (known === inForce) return null;
  const change = 'change it with PATCH /sessions/:id and {"context_window": TOKENS}';
  return known === null
    ? `the model "${model}" is unknown, so its context window is taken to be ${inForce} tokens: if it is another, ${change}`
    : `the context window stays at ${inForce} tokens, and the model "${model}" has ${known}: ${change}`;
}
