import { expect, test } from 'vitest';
import { subagentOf } from '../../../src/domain/workspace/subagents.ts';
import { toolCall } from '../../support/tool-calls.ts';

test.each([
  ['Read notes.md and report which fields are quoted. Change nothing.', false],
  ['Report what is quoted; do not edit any files.', false],
  ['Check the deployment. Read-only, change nothing.', false],
  ['Act as the reviewer. You only analyse: you modify nothing.', false],
  ['Touch nothing but the tests.', true],
  ['Mend the webhook: a forged delivery must change nothing.', true],
  ['If the tests pass already, change nothing. Else mend them.', true],
  ['Mend the parser.', true],
])('whether an agent may write that was told: %s', (prompt, mayWrite) => {
  const call = toolCall('Agent', { description: 'Notes', prompt, subagent_type: 'coder' });
  expect(subagentOf(call)).toMatchObject({ mayWrite });
});

test('the agents of a swarm of Kimi Code', () => {
  const input = {
    description: 'Notes',
    prompt_template: 'Mend {{item}}.',
    items: ['a.py', 'b.py'],
  };
  expect(subagentOf(toolCall('AgentSwarm', input))).toMatchObject({ mayWrite: true });
});
