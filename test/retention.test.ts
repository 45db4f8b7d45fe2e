import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { recordedCompactions } from '../bench/retention/cases.ts';
import { meanShare, measureRetention } from '../bench/retention/measure.ts';
import type { Normalised } from '../src/domain/items/item.ts';

const folder = fileURLToPath(new URL('../../shared/data/claude-code', import.meta.url));
const isPresent = existsSync(folder);
if (!isPresent) {
  console.warn(`Real transcripts are absent (${folder}): retention on them is NOT tested.`);
}

function said(role: 'user' | 'assistant', text: string, isSummary = false): Normalised {
  return {
    kind: 'message',
    role,
    parts: [{ kind: 'text', text }],
    is_meta: false,
    is_compact_summary: isSummary,
    is_api_error_message: false,
  };
}

describe('the measurement', () => {
  test('counts names that occurred before and are written by the assistant later', () => {
    const measured = measureRetention({
      name: 'made up',
      covered: [said('user', 'see src/a.ts and oldName'), said('assistant', 'calling fooBar')],
      recorded_summary: 'We looked at a.ts.',
      after: [
        said('user', 'now oldName'),
        said('assistant', 'editing lib/a.ts, fooBar and a brandNewName'),
      ],
    });
    expect(measured.names).toBe(2);
    expect(measured.recorded.share).toBe(0.5);
    expect(measured.extractive.share).toBe(1);
    expect(measured.missing).toEqual([]);
  });
});

describe.skipIf(!isPresent)('real compactions', () => {
  test('keep at least 0.85 of the names in the mean, each within its budget', () => {
    const rows = recordedCompactions(folder).map(measureRetention);
    expect(rows).toHaveLength(10);
    expect(rows.filter((row) => row.extractive.tokens > row.max_tokens)).toEqual([]);
    expect(rows.filter((row) => row.names === 0)).toEqual([]);
    expect(meanShare(rows, 'extractive')).toBeGreaterThanOrEqual(0.85);
    expect(meanShare(rows, 'extractive')).toBeGreaterThan(meanShare(rows, 'recorded'));
  });
});
