import { isJsonObject, type JsonObject } from '../json.ts';
import { LONG_WINDOW } from '../policy/model-table.ts';
import type { Settings } from '../session/head.ts';

/**
 * The tokens that the model of a request can read; `known`: by its name, null where that says nothing.
 * `betas`: the header `anthropic-beta`. Clients take `[1m]` off a model's name and ask in there.
 */
export function askedWindow(known: number | null, betas: string | undefined): number | null {
  return /(?:^|,)\s*context-1m-/.test(betas ?? '') ? Math.max(known ?? 0, LONG_WINDOW) : known;
}

/**
 * Whether the window of a session is the largest that its requests have asked for: nobody has set it, and
 * no provider has told of a smaller one.
 */
export function isOfModel({ context_window, metadata }: Settings): boolean {
  return gatewayOf(metadata).model_window === context_window;
}

/** The metadata of a session with the window that it has from a model; null: with none. */
export function withModelWindow(metadata: JsonObject, window: number | null): JsonObject {
  const { model_window: _, ...gateway } = gatewayOf(metadata);
  return { ...metadata, gateway: { ...gateway, ...(window !== null && { model_window: window }) } };
}

function gatewayOf({ gateway }: JsonObject): JsonObject {
  return isJsonObject(gateway) ? gateway : {};
}
