import type { Protocol } from '../../domain/gateway/protocol.ts';
import { formatOf } from '../../domain/gateway/protocol.ts';
import { type JsonObject, stringField } from '../../domain/json.ts';
import type { ConfigOverrides } from '../../domain/policy/config.ts';
import { PROFILES, type Profile } from '../../domain/policy/profiles.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { configOf } from '../../domain/session/head.ts';
import { changeSession } from '../change-session.ts';
import { createSession } from '../create-session.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';
import type { TurnSession } from './find-turn-session.ts';
import type { TurnRequest } from './turn-request.ts';

type Deps = Pick<
  Ports,
  'store' | 'world' | 'clock' | 'newId' | 'loadTokenizer' | 'contextWindowOf' | 'modelRefusal'
>;

/** What the headers of a request say of its session, where they can be used. */
type Wanted = { context_window?: number; profile?: Profile; config?: ConfigOverrides };

const LONGEST_MODEL = 200;

/**
 * Creates the session of a turn when there is none, with the window that a header names, else the
 * model's; and changes one whose header names something else. Rejects: invalid_config.
 */
export async function settleSession(
  deps: Deps,
  { ref, rule, name }: TurnSession,
  { protocol, headers, upstream }: TurnRequest,
  body: JsonObject,
): Promise<Outcome<null>> {
  const wanted = wantedOf(headers);
  const head = await deps.store.head(ref);
  if (head === null) {
    const gateway = { upstream, rule, ...(name !== null && { name }) };
    return created(deps, ref, protocol, { wanted, gateway, model: modelOf(body) });
  }
  const { context_window = null, profile = null, config = null } = wanted;
  const { settings } = head;
  const change = {
    ...(context_window !== null &&
      context_window !== settings.context_window && { context_window }),
    ...(profile !== null && profile !== settings.profile && { profile }),
    ...(config !== null &&
      config.gateway_recall !== configOf(settings, deps.world.server).gateway_recall && { config }),
  };
  if (Object.keys(change).length === 0) return accept(null);
  const changed = await changeSession(deps, ref, change);
  return changed.ok ? accept(null) : changed;
}

async function created(
  deps: Deps,
  { tenant, session_id }: SessionRef,
  protocol: Protocol,
  { wanted, gateway, model }: { wanted: Wanted; gateway: JsonObject; model: string | null },
): Promise<Outcome<null>> {
  const session = {
    id: session_id,
    format: formatOf(protocol),
    model,
    metadata: { gateway },
    ...wanted,
  };
  const done = await createSession(deps, tenant, session);
  // Two requests of one session have come at once.
  return done.ok || done.rejection.code === 'session_exists' ? accept(null) : done;
}

function modelOf(body: JsonObject): string | null {
  const model = stringField(body, 'model') ?? '';
  return model === '' ? null : model.slice(0, LONGEST_MODEL);
}

/** The window that a header names, in tokens; null without one that can be used. */
export function windowAsked(headers: TurnRequest['headers']): number | null {
  const window = Number(headers['x-palimpsest-context-window']);
  return Number.isSafeInteger(window) && window > 0 ? window : null;
}

function wantedOf(headers: TurnRequest['headers']): Wanted {
  const window = windowAsked(headers);
  const profile = PROFILES.find((each) => each === headers['x-palimpsest-profile']);
  const recall = recallAsked(headers);
  return {
    ...(window !== null && { context_window: window }),
    ...(profile !== undefined && { profile }),
    ...(recall !== null && { config: { gateway_recall: recall } }),
  };
}

/** Null where a header does not say it. */
function recallAsked(headers: TurnRequest['headers']): boolean | null {
  const asked = headers['x-palimpsest-recall']?.trim().toLowerCase();
  return asked === 'on' ? true : asked === 'off' ? false : null;
}
