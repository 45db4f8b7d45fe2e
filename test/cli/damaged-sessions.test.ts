import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/db/sqlite/driver.ts';
import { isArchived, longAgo, openPlain } from '../support/archive-lab.ts';
import { on, onService, openLab } from '../support/backup-lab.ts';
import { palimpsest } from '../support/palimpsest-command.ts';

const { fresh, places, dispose } = openLab();
afterAll(dispose);

/** What may have become of the data of an event, as an expression of SQL. */
const DAMAGES = {
  'one letter of an event is another': `replace(data, 'three', 'threw')`,
  'an event is no JSON any more': 'substr(data, 2)',
};

const TOLD =
  'Session "hurt" of tenant "local": its log is damaged.\n"palimpsest verify" says where: restore them.\n';

/** Three idle sessions, of which the event in the middle of `hurt` has been changed. */
async function threeWith(changed: string): Promise<string> {
  const url = await places.sqlite();
  for (const id of ['before', 'hurt', 'after']) await longAgo(url, id);
  const change = `UPDATE events SET data = ${changed} WHERE session_id = 'hurt' AND version = 4`;
  openSqlite(url.slice('file:'.length)).exec(change).close();
  return url;
}

describe.each(Object.entries(DAMAGES))('%s', (_, changed) => {
  let url: string;
  beforeEach(async () => {
    url = await threeWith(changed);
  });

  test('an export of the session ends with an error, since no import would take it', async () => {
    const run = await palimpsest(['export', 'hurt'], on(url));
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^session "hurt" cannot be exported in full: .*damaged/);
    expect((await palimpsest(['export', 'after'], on(url))).code).toBe(0);
  });

  test('the others go into the archive, and the session stays where it is', async () => {
    const run = await palimpsest(['archive', '--before', '1d', '--to', fresh('archive')], on(url));
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('2 sessions, 12 events archived');
    expect(run.stderr).toContain(TOLD);
    const store = await openPlain(url);
    expect(await isArchived(store, 'hurt')).toBe(false);
    await store.close();
  });
});

test('an event that is no JSON keeps no other session out of the search index', async () => {
  const url = await threeWith(DAMAGES['an event is no JSON any more']);
  const run = await palimpsest(['reindex'], on(url));
  expect([run.code, run.stdout, run.stderr]).toEqual([
    1,
    '3 sessions, 10 documents indexed\n',
    TOLD,
  ]);
});

test('a context with such an event is answered as damage, which tells the operator what to do', async () => {
  const url = await threeWith(DAMAGES['an event is no JSON any more']);
  const answer = await onService(url, ({ fetch }) =>
    fetch(new Request('http://127.0.0.1/sessions/hurt/context')),
  );
  expect([answer.status, await answer.json()]).toMatchObject([
    500,
    { type: 'urn:palimpsest:problem:store-damaged' },
  ]);
});
