import type { LookUpTool } from '../app/gateway/look-up.ts';
import type { Ports } from '../app/ports/ports.ts';
import type { OfferedTool } from '../domain/gateway/recall/recall-protocol.ts';
import { jsonObjectSchema } from '../domain/json.ts';
import { LOOK_UP_TOOLS } from '../domain/policy/own-tools.ts';
import { TOOLS } from './tools.ts';

/** A bare `recall` may be a tool of the client. */
const PREFIX = 'palimpsest_';

const READING = TOOLS.filter(({ name }) => LOOK_UP_TOOLS.has(name));

/** Our tools as the gateway adds them to requests (SPEC 2, section 23). */
export const GATEWAY_TOOLS: readonly OfferedTool[] = READING.map(
  ({ name, description, inputSchema }) => ({
    name: PREFIX + name,
    description,
    parameters: jsonObjectSchema.parse(inputSchema),
  }),
);

/** Answers calls of these tools, of the own session only. */
export function lookUpTool(ports: Ports): LookUpTool {
  return async ({ ref, name, input }) => {
    const tool = READING.find((each) => PREFIX + each.name === name);
    if (tool === undefined) return { text: `there is no tool "${name}"`, is_error: true };
    const { signal } = new AbortController();
    const answer = await tool.call(ports, { ref, mayLeave: false, signal }, input);
    return answer.ok
      ? { text: answer.value, is_error: false }
      : { text: answer.rejection.detail, is_error: true };
  };
}
