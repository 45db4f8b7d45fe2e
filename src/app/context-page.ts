import { fillOf } from '../domain/context/fill.ts';
import { sumTokens } from '../domain/context/view.ts';
import { sessionNotFound } from '../domain/session/create-session.ts';
import { accept, reject } from '../domain/session/errors.ts';
import { configOf, contextTokens } from '../domain/session/head.ts';
import { thresholds, usableWindow } from '../domain/tokens/thresholds.ts';
import { eventAt } from './event-at.ts';
import { findSession } from './find.ts';
import { loadSettings } from './load-settings.ts';
import { loadViewHere } from './load-view.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/**
 * The context at a version (default: the newest) as people look at it (SPEC 2, section 27): what fills
 * it, and one page of its entries, `page` counting from 0. `tokens` as the service reckons with them, also
 * those of what fills it; those of the entries are estimates without
 * `margin`. `is_counted`: the provider has counted a part of them. Rejects: session_not_found, version_not_found.
 */
export async function readContextPage(
  ports: Pick<Ports, 'store' | 'largestHere' | 'world'>,
  ref: SessionRef,
  { at, page, per_page }: { at: number | undefined; page: number; per_page: number },
) {
  const { store, world } = ports;
  const found = await findSession(store, ref);
  if (!found.ok) return found;
  const { state, settings } = found.value;
  const version = at ?? state.version;
  if (version < 1 || version > state.version) {
    return reject(
      'version_not_found',
      `the session is at version ${state.version}: choose one from 1 to ${state.version}`,
    );
  }
  const view = await loadViewHere(ports, ref, version);
  const event = await eventAt(store, ref, version);
  // Erased since the head was read.
  if (view === null || event === undefined) return sessionNotFound();
  const past = version < state.version ? await loadSettings(store, ref, version) : null;
  const inForce = past ?? settings;
  const config = configOf(inForce, world.server);
  const pages = Math.max(1, Math.ceil(view.entries.length / per_page));
  const shown = Math.min(page, pages - 1);
  const edits = new Map<number, string>();
  for (const { seq, kind } of view.edits.values()) edits.set(seq, kind);
  const estimate = sumTokens(view.entries);
  const tokens = contextTokens({ ...view.usage, tokens: estimate }, config);
  return accept({
    version,
    at: event.at,
    newest: state.version,
    format: view.format,
    tokens,
    is_counted: view.usage.usage !== null,
    margin: config.token_safety_multiplier,
    window: usableWindow(config, inForce.context_window),
    threshold: thresholds(config, inForce.context_window).threshold,
    base_compaction_id: view.base?.compaction_id ?? null,
    fill: fillOf(view.entries, view.format).map((share) => ({
      ...share,
      tokens: (share.tokens * tokens) / Math.max(1, estimate),
    })),
    items: view.entries.length,
    page: shown,
    pages,
    entries: view.entries.slice(shown * per_page, (shown + 1) * per_page).map((entry) => ({
      ...entry,
      edit: entry.seq === null ? null : (edits.get(entry.seq) ?? null),
    })),
  });
}
