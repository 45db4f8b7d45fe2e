import { describe, expect, it } from 'vitest';
import { withFailures } from '../../../src/domain/compaction/material.ts';
import { materialFor } from '../../support/given.ts';
import { call, result } from '../../support/items.ts';

describe('the failure of a result that was cleared', () => {
  it.each([
    ['a code in the last line', 'make', 'a.c:3: expected ;\n\nExit code: 2', true],
    ['a code in JSON', 'make', '{"exit_code":2,"output":"a.c:3: expected ;"}', true],
    ['a log', 'tail ci.log', 'a.c:3: expected ;\n\nExit code: 2', false],
  ])('%s', (_, command, said, is_error) => {
    const material = materialFor([call('c', 'bash', { command }), result('c', said)]);
    const [, cleared] = materialFor([call('c', 'bash', { command }), result('c', '[cleared]')]);
    const [, whole] = material;
    if (whole === undefined || cleared === undefined) throw new Error('no result');
    const item = withFailures(material)({ ...whole, item: cleared.item });
    expect(item).toMatchObject({ parts: [{ kind: 'tool_result', is_error }] });
  });
});
