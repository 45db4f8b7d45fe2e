import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eraseSession } from '../../src/app/erase-session.ts';
import { importTranscript } from '../../src/app/import-transcript.ts';
import type { ReadTranscript } from '../../src/app/ports/transcripts.ts';
import { withMembers } from '../../src/app/with-members.ts';
import { assistant, user } from '../support/items.ts';
import { refOf, SyncLab } from '../support/sync-lab.ts';

let lab: SyncLab;
beforeAll(async () => {
  lab = await SyncLab.open();
});
afterAll(() => lab.close());

const items = Array.from({ length: 30 }, (_, index) =>
  index % 2 === 0 ? user(`Question ${index}?`) : assistant(`Answer ${index}.`),
);

/** An upload of a transcript; something happens before its third write, which is its second portion. */
function upload(name: string, between: () => Promise<unknown> = async () => {}) {
  let commits = 0;
  const commit: typeof lab.store.commit = async (...asked) => {
    if (++commits === 3) await between();
    return lab.store.commit(...asked);
  };
  const ports = {
    ...lab.ports,
    store: withMembers(lab.store, { commit }),
    contextWindowOf: () => null,
    modelRefusal: () => null,
  };
  const transcript: ReadTranscript = {
    name,
    source: 'test',
    format: 'anthropic',
    model: null,
    items,
  };
  return importTranscript(ports, 'local', transcript, new AbortController().signal);
}

describe('an upload that is not alone with its session', () => {
  it('doubles nothing where the same file is uploaded at the same moment', async () => {
    expect(await upload('twice', () => upload('twice'))).toEqual({ ok: true, value: 'twice' });
    expect(await lab.items('twice')).toEqual(items);
  });

  it('does not make half a session of one that is erased meanwhile', async () => {
    const done = await upload('erased', () => eraseSession(lab.ports, refOf('erased')));
    expect(done).toMatchObject({ ok: false, rejection: { code: 'session_not_found' } });
    expect(await lab.store.head(refOf('erased'))).toBeNull();
  });

  it('goes on in a session that was made anew meanwhile', async () => {
    const done = await upload('anew', async () => {
      await eraseSession(lab.ports, refOf('anew'));
      lab.newId();
      await upload('anew');
    });
    expect(done).toMatchObject({ ok: true });
    expect(await lab.items('anew')).toEqual(items);
  });
});
