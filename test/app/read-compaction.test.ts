import { afterEach, expect, it, vi } from 'vitest';
import { readCompaction } from '../../src/app/read-compaction.ts';
import { ofTokens, user } from '../support/items.ts';
import { SessionLab } from '../support/session-lab.ts';

let lab: SessionLab;
afterEach(() => lab.close());

it('a compaction of a session that is erased while it is read is not found', async () => {
  lab = await SessionLab.open('anthropic');
  await lab.append([user(ofTokens(200))]);
  const asked = await lab.request('full');
  if (!asked.ok) throw new Error(asked.rejection.detail);
  const { store, ref } = lab;
  expect(await readCompaction(lab, ref, asked.value.id)).toMatchObject({ ok: true });
  const { events } = store;
  vi.spyOn(store, 'events').mockImplementationOnce(async (...query) => {
    await store.erase(ref);
    return events.apply(store, query);
  });
  const found = await readCompaction(lab, ref, asked.value.id);
  expect(found).toMatchObject({ ok: false, rejection: { code: 'session_not_found' } });
});
