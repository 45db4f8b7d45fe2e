import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { parseInside } from '../json-text.ts';
import { remembering } from '../remember.ts';
import { withCodeCalls } from './code-mode/with-code-calls.ts';
import { type Expansions, idWithin, withExpansions } from './expansions.ts';
import type { Normalised, Part, ToolCall, ToolResult } from './item.ts';
import { resultText } from './message-text.ts';
import { partnersIn } from './pairing.ts';
import { withProviderCalls } from './provider-calls.ts';

/**
 * The items with each call that was made beside others in one as a call of its own, with its own result: those
 * in scripts of Codex's code mode, and the commands that Cline runs at once, of which it tells how each ended.
 * What the provider has run itself stands among them. The same list where there is none.
 */
export function withCallsApart(items: readonly Normalised[]): readonly Normalised[] {
  return withClineCalls(withCodeCalls(withProviderCalls(items)));
}

const withClineCalls = remembering((items: readonly Normalised[]): readonly Normalised[] => {
  if (!items.some((item) => item.kind === 'message' && item.parts.some(runsMany))) return items;
  const { results } = partnersIn(items);
  const expansions: Expansions = new Map();
  for (const item of items) {
    for (const part of item.kind === 'message' ? item.parts : []) {
      const result = part.kind === 'tool_call' ? results.get(part)?.result : undefined;
      if (part.kind !== 'tool_call' || !runsMany(part) || result === undefined) continue;
      const commands = commandsOf(part);
      const told = toldIn(result);
      if (told.length !== commands.length) continue;
      expansions.set(
        part,
        commands.map((command, at) => callOf(part, command, at)),
      );
      expansions.set(
        result,
        told.map((entry, at) => resultOf(result, part, entry, at)),
      );
    }
  }
  return withExpansions(items, expansions);
});

function commandsOf({ name, input }: ToolCall): Json[] {
  const commands = name === 'run_commands' && isJsonObject(input) ? input.commands : undefined;
  return Array.isArray(commands) ? commands : [];
}

function runsMany(part: Part): boolean {
  return part.kind === 'tool_call' && commandsOf(part).length > 1;
}

/** What is said of each command; none where a result is another one. */
function toldIn(result: ToolResult): JsonObject[] {
  const text = resultText(result);
  const told = text.startsWith('[{"query":"') ? parseInside(text) : undefined;
  return Array.isArray(told) && told.every(isJsonObject) ? told : [];
}

function callOf(call: ToolCall, command: Json, at: number): ToolCall {
  return { ...call, id: idWithin(call, at), input: { commands: [command] } };
}

function resultOf(result: ToolResult, call: ToolCall, told: JsonObject, at: number): ToolResult {
  const content = [{ kind: 'text' as const, text: JSON.stringify([told]) }];
  return { ...result, call_id: idWithin(call, at), content, is_error: told.success === false };
}
