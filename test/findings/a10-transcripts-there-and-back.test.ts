import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withLocalService } from '../../bench/local-service.ts';
import { DATA_FOLDER, dataFiles, isDataPresent } from '../../bench/transcripts/data-files.ts';
import type { EventStore, SessionRef } from '../../src/app/ports/event-store.ts';
import { importTranscript } from '../../src/cli/import-transcript.ts';
import { restoreExport } from '../../src/cli/restore-export.ts';
import { exportParts } from '../../src/db/export-parts.ts';
import { openPostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { readTranscripts, textOf } from '../../src/importers/read-transcripts.ts';
import { atScale } from '../support/scale.ts';
import { freshDatabase } from '../support/servers/fresh.ts';

/**
 * Recorded transcripts of every format are imported, compacted on the way, exported from one store,
 * restored in another and exported again: byte for byte the same log.
 */

const isPresent = isDataPresent();
const FILES = isPresent ? dataFiles().filter((path) => !path.includes('probing')) : [];
const every = atScale({ brief: 8, short: 1, long: 1 });
const files = FILES.filter((_, index) => index % every === 0);
const TENANT = 'local';

describe('A10: the recorded transcripts', () => {
  it(isPresent ? 'are there' : 'ARE ABSENT: nothing is exported', () => {
    if (!isPresent) console.warn(`No recorded transcripts at ${DATA_FOLDER}.`);
    expect(files.length > 0).toBe(isPresent);
  });
});

describe.runIf(isPresent)('A10: export and import are inverse', () => {
  let postgres: EventStore;
  let sqlite: EventStore;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshDatabase();
    drop = database.drop;
    postgres = await openPostgresStore({
      url: database.url,
      onError: (error) => {
        throw error;
      },
    });
    sqlite = await openSqliteStore({ path: ':memory:' });
  });
  afterAll(async () => {
    await postgres?.close();
    await sqlite?.close();
    await drop?.();
  });

  it.each(files)(
    '%s',
    async (file) => {
      const transcripts = readTranscripts(
        basename(file),
        textOf(file, readFileSync(join(DATA_FOLDER, file))),
      );
      expect(transcripts.length).toBeGreaterThan(0);
      const service = { summarizer: 'extractive', synchronous: 'NORMAL' } as const;
      await withLocalService(service, async ({ target, store, takeUpPending }) => {
        await takeUpPending();
        for (const transcript of transcripts) {
          const { id } = await importTranscript(target, transcript, { idPrefix: '' }, () => {});
          const ref = { tenant: TENANT, session_id: id };
          const original = await exported(store, ref);
          expect(await restored(postgres, original, ref)).toBe(original);
          expect(await restored(sqlite, original, ref)).toBe(original);
        }
      });
    },
    600_000,
  );
});

/** Puts an export into a store; answers what that exports. */
async function restored(store: EventStore, text: string, ref: SessionRef): Promise<string> {
  await restoreExport({ store, server: {} }, text, { idPrefix: '', tenant: TENANT });
  return exported(store, ref);
}

async function exported(store: EventStore, ref: SessionRef): Promise<string> {
  const head = await store.head(ref);
  if (head === null) throw new Error(`there is no session ${ref.session_id}`);
  let text = '';
  for await (const part of exportParts(store, ref, head.state.version)) text += part.text;
  return text;
}
