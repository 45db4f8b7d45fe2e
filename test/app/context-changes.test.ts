import { describe, expect, it } from 'vitest';
import { contextChanges } from '../../src/app/context-changes.ts';
import { decodeEvent, encodeEvent, FIRST_PREVIOUS_HASH } from '../../src/db/event-codec.ts';
import { EMPTY_LEDGER } from '../../src/domain/ledger/ledger.ts';
import type { NewEvent } from '../../src/domain/session/events.ts';
import { AT, completed } from '../contracts/session-events.ts';

const REF = { tenant: 'local', session_id: 's' };
const WHOLE = JSON.stringify(EMPTY_LEDGER);
/** It begins as one does, and whoever parses it fails. */
const BROKEN = `${WHOLE.slice(0, -1)},]}`;

const FORKED = {
  type: 'session.forked',
  data: { parent_session_id: 'p', parent_version: 3, entries: [], ledger: EMPTY_LEDGER },
} satisfies NewEvent;
const full = completed('c-1', 2);
const COMPLETED = { ...full, data: { ...full.data, ledger: EMPTY_LEDGER } };

describe('the events that change a context', () => {
  it.each([COMPLETED, FORKED])('are read without the ledger: $type', async (event) => {
    const row = encodeEvent(FIRST_PREVIOUS_HASH, REF, { ...event, version: 3, at: AT });
    const broken = { ...row, data: row.data.replace(WHOLE, BROKEN) };
    const stored = decodeEvent(broken);
    expect(() => JSON.stringify(stored)).toThrow();
    const [read] = await contextChanges({ events: async () => [stored] }, REF, 3);
    const { ledger: _ledger, ...data } = event.data;
    expect(JSON.stringify(read)).not.toContain('ledger');
    expect(Object.keys(read?.data ?? {}).sort()).toEqual(Object.keys(data).sort());
  });
});
