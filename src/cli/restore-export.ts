import { sessionId } from '../app/import-batches.ts';
import type { EventStore } from '../app/ports/event-store.ts';
import { readExport, restoredAs } from '../db/session-export.ts';
import { configOf, contextTokens } from '../domain/session/head.ts';
import type { World } from '../domain/session/world.ts';
import type { ImportedSession } from './import-transcript.ts';
import { TargetError } from './target.ts';

type RestoreOptions = { idPrefix: string; tenant: string };

/**
 * Puts the session of an export into the store: the same events, under the same id unless there is a
 * prefix. Throws ExportError for a file that was changed, TargetError when the id is taken.
 */
export async function restoreExport(
  { store, server }: { store: EventStore; server: World['server'] },
  text: string,
  { idPrefix, tenant }: RestoreOptions,
): Promise<ImportedSession> {
  const exported = readExport(text);
  const id =
    idPrefix === '' ? exported.ref.session_id : sessionId(idPrefix + exported.ref.session_id);
  const ref = { tenant, session_id: id };
  const session = restoredAs(exported, ref);
  if (!(await store.restore(ref, session))) {
    throw new TargetError(
      `session "${id}" already exists: import the export under another id with --id-prefix, or ` +
        'erase that session first',
    );
  }
  const { settings, state } = session.head;
  const { micro, full, skipped, failed } = state.compactions;
  return {
    id,
    format: settings.format,
    items: state.items,
    skipped: {},
    tokens: contextTokens(state, configOf(settings, server)),
    compactions: { micro, full, skipped, failed },
  };
}
