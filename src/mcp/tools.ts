import { z } from 'zod';
import type { Ports } from '../app/ports/ports.ts';
import { IN_PLAIN_WORDS } from '../domain/issue-words.ts';
import { LOOK_UP_TOOLS } from '../domain/policy/own-tools.ts';
import { type Outcome, reject } from '../domain/session/errors.ts';
import { unknownFieldHint } from '../domain/unknown-field.ts';
import type { Caller, Tool } from './tool.ts';
import { compactTool } from './tools/compact.ts';
import { statusTool } from './tools/context-status.ts';
import { pinTool } from './tools/pin.ts';
import { recallTool } from './tools/recall.ts';
import { searchTool } from './tools/search-history.ts';

/** A tool as clients list it, and what it does with whatever they send. */
type OfferedTool = {
  name: string;
  description: string;
  inputSchema: { type: 'object'; [keyword: string]: unknown };
  annotations: { readOnlyHint: boolean; destructiveHint: false; openWorldHint: false };
  _meta?: { 'anthropic/alwaysLoad': true };
  /** Rejects arguments that do not fit, with what to change. */
  call: (ports: Ports, caller: Caller, args: unknown) => Promise<Outcome<string>>;
};

/** Our tools, in the order in which they are listed. */
export const TOOLS: readonly OfferedTool[] = [
  offered(searchTool),
  offered(recallTool),
  offered(compactTool),
  offered(pinTool),
  offered(statusTool),
];

function offered<Args>({ name, description, input, isReading, call }: Tool<Args>): OfferedTool {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return {
    name,
    description,
    inputSchema: { ...schema, type: 'object' },
    annotations: { readOnlyHint: isReading, destructiveHint: false, openWorldHint: false },
    // Else Claude Code hides it until the model has searched for it, again after each compaction.
    ...(LOOK_UP_TOOLS.has(name) && { _meta: { 'anthropic/alwaysLoad': true } }),
    call: async (ports, caller, args) => {
      const read = input.safeParse(args ?? {}, IN_PLAIN_WORDS);
      return read.success ? call(ports, caller, read.data) : misfit(name, input, read.error);
    },
  };
}

function misfit(name: string, input: z.ZodType, { issues }: z.ZodError): Outcome<never> {
  const first = issues.slice(0, 3).flatMap((issue) => {
    const { path, message } = issue;
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, 3).map((key) => unknownFieldHint(input, path, key));
    }
    const field = path.join('.');
    return field === '' ? message : `${field}: ${message}`;
  });
  return reject('invalid_request', `the arguments of ${name} do not fit: ${first.join('; ')}`);
}
