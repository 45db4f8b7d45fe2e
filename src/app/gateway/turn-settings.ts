import { askedWindow, isOfModel, withModelWindow } from '../../domain/gateway/model-window.ts';
import type { Protocol } from '../../domain/gateway/protocol.ts';
import { formatOf } from '../../domain/gateway/protocol.ts';
import { type JsonObject, stringField } from '../../domain/json.ts';
import type { ConfigOverrides } from '../../domain/policy/config.ts';
import { DEFAULT_CONTEXT_WINDOW, PROFILES, type Profile } from '../../domain/policy/profiles.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { configOf, type Settings } from '../../domain/session/head.ts';
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

/** Characters of a model's name that are kept. */
export const LONGEST_MODEL = 200;

/**
 * Creates the session of a turn when there is none, with the window that a header names, else the
 * model's; and changes one whose header names something else, or whose window is that of a model and
 * smaller than that of this one. Rejects: invalid_config.
 */
export async function settleSession(
  deps: Deps,
  { ref, rule, name }: Pick<TurnSession, 'ref' | 'rule' | 'name'>,
  request: Pick<TurnRequest, 'protocol' | 'headers' | 'upstream'>,
  body: JsonObject,
): Promise<Outcome<null>> {
  const { protocol, headers, upstream } = request;
  const wanted = wantedOf(headers);
  const known = modelWindow(deps, request, body);
  const head = await deps.store.head(ref);
  if (head === null) {
    const context_window = wanted.context_window ?? known ?? DEFAULT_CONTEXT_WINDOW;
    const gateway = { upstream, rule, ...(name !== null && { name }) };
    const own = wanted.context_window === undefined ? context_window : null;
    const metadata = withModelWindow({ gateway }, own);
    const session = { ...wanted, context_window, metadata, model: modelOf(body) };
    return created(deps, ref, protocol, session);
  }
  const { profile = null, config = null } = wanted;
  const { settings } = head;
  const change = {
    ...windowChange(settings, wanted.context_window ?? null, known),
    ...(profile !== null && profile !== settings.profile && { profile }),
    ...(config !== null &&
      config.gateway_recall !== configOf(settings, deps.world.server).gateway_recall && { config }),
  };
  if (Object.keys(change).length === 0) return accept(null);
  const changed = await changeSession(deps, ref, change);
  return changed.ok ? accept(null) : changed;
}

/** `named`: by a header; `known`: of the model. A side request of a smaller model changes nothing. */
function windowChange(
  settings: Settings,
  named: number | null,
  known: number | null,
): { context_window?: number; metadata?: JsonObject } {
  const { context_window, metadata } = settings;
  const isModels = isOfModel(settings);
  if (named !== null) {
    return {
      ...(named !== context_window && { context_window: named }),
      ...(isModels && { metadata: withModelWindow(metadata, null) }),
    };
  }
  if (!isModels || known === null || known <= context_window) return {};
  return { context_window: known, metadata: withModelWindow(metadata, known) };
}

async function created(
  deps: Deps,
  { tenant, session_id }: SessionRef,
  protocol: Protocol,
  session: Wanted & { context_window: number; metadata: JsonObject; model: string | null },
): Promise<Outcome<null>> {
  const done = await createSession(deps, tenant, {
    id: session_id,
    format: formatOf(protocol),
    ...session,
  });
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

/** The tokens that the model of a request can read; null where they are not known. */
export function modelWindow(
  { contextWindowOf }: Pick<Ports, 'contextWindowOf'>,
  { headers }: Pick<TurnRequest, 'headers'>,
  body: JsonObject,
): number | null {
  return askedWindow(contextWindowOf(stringField(body, 'model') ?? ''), headers['anthropic-beta']);
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

/** What a header of ours says that cannot be used, and what to write; null: nothing is wrong with them. */
export function headerProblem(headers: TurnRequest['headers']): string | null {
  const isUnusable = (name: string, read: unknown) =>
    (headers[name] ?? '').trim() !== '' && (read === null || read === undefined);
  if (isUnusable('x-palimpsest-context-window', windowAsked(headers))) {
    return 'x-palimpsest-context-window: must be a whole number of tokens, such as 200000';
  }
  if (isUnusable('x-palimpsest-profile', wantedOf(headers).profile)) {
    return `x-palimpsest-profile: must be one of ${PROFILES.join(', ')}`;
  }
  return isUnusable('x-palimpsest-recall', recallAsked(headers))
    ? 'x-palimpsest-recall: must be "on" or "off"'
    : null;
}

/** Null where a header does not say it. */
export function recallAsked(headers: TurnRequest['headers']): boolean | null {
  const asked = headers['x-palimpsest-recall']?.trim().toLowerCase();
  return asked === 'on' ? true : asked === 'off' ? false : null;
}
