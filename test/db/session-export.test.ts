import { describe, expect, it } from 'vitest';
import { exportHeader, exportLine } from '../../src/app/export-format.ts';
import type { EventRow } from '../../src/app/ports/event-store.ts';
import { encodeEvent, FIRST_PREVIOUS_HASH } from '../../src/db/event-codec.ts';
import { readExport } from '../../src/db/session-export.ts';
import { AT, created } from '../contracts/session-events.ts';

const REF = { tenant: 'acme', session_id: 'first' };

/** An export of a session with this item in it; `data` is written as JSON text. */
function exported(data: string): { rows: EventRow[]; text: string } {
  const first = encodeEvent(FIRST_PREVIOUS_HASH, REF, { version: 1, at: AT, ...created });
  const second = encodeEvent(first.hash, REF, {
    version: 2,
    at: AT,
    type: 'item.appended',
    data: JSON.parse(data),
  });
  const rows = [first, second];
  return { rows, text: [exportHeader(REF, rows.length), ...rows.map(exportLine)].join('\n') };
}

describe('an export', () => {
  it.each(['__proto__', 'constructor', 'toString', '10', ''])(
    'is read as it was written where a key of an item is "%s"',
    (key) => {
      const input = `{"b":1,"${key}":{"${key}":[1.5e3,null]},"a":"\\ud800 \\u0000"}`;
      const item = `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":${input}}]}`;
      const { rows, text } = exported(`{"item":${item},"tokens":7}`);
      expect(rows[1]?.data).toContain(`"${key}":[1500,null]`);
      expect(readExport(text).rows).toEqual(rows);
    },
  );
});
