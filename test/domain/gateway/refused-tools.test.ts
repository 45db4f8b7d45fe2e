import { expect, it } from 'vitest';
import { mayRefuseTools } from '../../../src/domain/gateway/refused-tools.ts';

it.each([
  [400, 'registry.ollama.ai/library/gemma:2b does not support tools', true],
  [404, 'No endpoints found that support tool use.', true],
  [400, "Unsupported parameter: 'tools' is not supported with this model.", true],
  [400, '"auto" tool choice requires --enable-auto-tool-choice to be set', true],
  [400, 'Function calling is not enabled for this model', true],
  [422, '{"error":{"param":"tool_choice"}}', true],
  [400, 'temperature is too high: the toolbox said so', false],
  [400, 'messages.2: `tool_use` ids were found without `tool_result` blocks after them', false],
  [400, "An assistant message with 'tool_calls' must be followed by tool messages", false],
  [429, 'too many requests with tools', false],
  [401, 'this key may not use tools', false],
  [500, 'tools broke', false],
  [200, 'tools', false],
])('%s %s: %s', (status, text, may) => {
  expect(mayRefuseTools(status, text)).toBe(may);
});
