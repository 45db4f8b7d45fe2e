import { isJsonObject, stringField } from '../../json.ts';
import { isCall, isResult, type Slot, type Turn } from './turns.ts';

/**
 * Takes out the calls of tools that the provider runs itself (`server_tool_use`, `mcp_tool_use`) and
 * that have no result, and their results (`web_search_tool_result`, …) that have no call. The result
 * stands after its call in the same assistant message; only where the client's own tools were
 * called beside it, in a later one with nothing but their results between. A call among the last
 * calls of the last turn is still open and stays, and so does one whose program has called the client's
 * tools since (`caller`) and still waits for them.
 */
export function dropUnpairedServerTools(turns: readonly Turn[]): void {
  const unpaired = new Set<Slot>();
  const waiting = new Map<string, Slot>();
  for (const turn of turns) {
    if (turn.role === 'user') {
      for (const slot of turn.slots) if (isServerTool(slot)) unpaired.add(slot);
      if (!turn.slots.every(isResult)) waiting.clear();
      continue;
    }
    for (const slot of turn.slots.filter(isServerTool)) {
      const key = pairKey(slot);
      const call = isServerCall(slot) ? undefined : waiting.get(key);
      if (call === undefined) unpaired.add(slot);
      else unpaired.delete(call);
      if (isServerCall(slot)) waiting.set(key, slot);
      else waiting.delete(key);
    }
  }
  const open = new Set(waiting.values());
  for (const slot of lastCalls(turns)) if (open.has(slot)) unpaired.delete(slot);
  const callers = new Set(turns.flatMap(({ slots }) => slots.map(callerOf)));
  for (const slot of open) if (callers.has(String(slot.block.id))) unpaired.delete(slot);
  for (const turn of turns) turn.slots = turn.slots.filter((slot) => !unpaired.has(slot));
}

/** A call whose program is not there becomes the model's own: the API knows no such caller. */
export function freeStrayCalls(turns: readonly Turn[]): void {
  const programs = new Set<unknown>();
  for (const slot of turns.flatMap(({ slots }) => slots)) {
    if (isServerCall(slot)) programs.add(slot.block.id);
    const program = callerOf(slot);
    if (program === undefined || programs.has(program)) continue;
    const { caller: _, ...block } = slot.block;
    slot.block = block;
  }
}

/** The calls, with results of server tools among them, that the conversation ends with. */
function lastCalls(turns: readonly Turn[]): Slot[] {
  const last = turns.findLastIndex((turn) => turn.role === 'assistant');
  const isEnd = turns.slice(last + 1).every((turn) => turn.slots.every(isResult));
  const slots = isEnd ? (turns[last]?.slots ?? []) : [];
  return slots.slice(slots.findLastIndex((slot) => !isCall(slot) && !isServerTool(slot)) + 1);
}

/** The id of the program that a call of the client's tools comes from. */
function callerOf({ block }: Slot): string | undefined {
  return isJsonObject(block.caller) ? stringField(block.caller, 'tool_id') : undefined;
}

function isServerCall({ block }: Slot): boolean {
  return block.type === 'server_tool_use' || block.type === 'mcp_tool_use';
}

function isServerTool(slot: Slot): boolean {
  return isServerCall(slot) || String(slot.block.type).endsWith('_tool_result');
}

/** What joins a call with its result: the id, and whether the tool is one of an MCP server. */
function pairKey(slot: Slot): string {
  const { type, id, tool_use_id: calledId } = slot.block;
  const owner = String(type).startsWith('mcp_') ? 'mcp' : 'provider';
  return `${owner} ${String(isServerCall(slot) ? id : calledId)}`;
}
