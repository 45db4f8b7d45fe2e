import { type Entry, type Options, objects } from './reading.ts';

const OUTPUT_OF: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
  local_shell_call: 'local_shell_call_output',
  shell_call: 'shell_call_output',
  computer_call: 'computer_call_output',
  apply_patch_call: 'apply_patch_call_output',
  mcp_approval_request: 'mcp_approval_response',
};
const OUTPUTS = new Set(Object.values(OUTPUT_OF));

/** The rules of the Responses API that its types do not say. */
export function responsesProblems(context: readonly Entry[], { isConverted }: Options): string[] {
  const found: string[] = [];
  const waiting = new Map<string, { type: string; index: number }>();
  const programs = new Set<unknown>();
  for (const [index, item] of context.entries()) {
    const say = (text: string) => found.push(`${index}: ${text}`);
    const type = String(item.type ?? 'message');
    if (type === 'compaction_trigger' && index < context.length - 1) say('a trigger is not last');
    if (type === 'reasoning' && !isFollowed(context, index)) say('reasoning without what follows');
    if (type === 'message') checkContent(item, say);
    if (type === 'program') programs.add(item.call_id);
    const [caller] = objects([item.caller]);
    const program = type === 'program_output' ? item.call_id : caller?.caller_id;
    if (program !== undefined && !programs.has(program)) {
      say(`the program ${String(program)} of a ${type} is not there`);
    }
    const id = pairId(item);
    if (type in OUTPUT_OF) {
      if (waiting.has(id)) say(`the call id ${id} is used again before its output`);
      waiting.set(id, { type, index });
      if (isConverted) checkNames(item, say);
    } else if (isOutput(item)) {
      const call = waiting.get(id);
      // Codex answers its local shell as it answers a function.
      const isAnswer =
        call !== undefined &&
        (OUTPUT_OF[call.type] === type ||
          (call.type === 'local_shell_call' && type === 'function_call_output'));
      if (isAnswer) waiting.delete(id);
      else say(`the output of ${id} answers no call`);
    }
  }
  const end = openFrom(context);
  for (const [id, { index }] of waiting) {
    // The output of an asynchronous call may come in any later request.
    if (context[index]?.async === true) continue;
    if (index < end) found.push(`${index}: the call ${id} has no output`);
  }
  return found;
}

/** Codex names what it tells as an output of no call. */
function isOutput({ type, call_id: callId, name }: Entry): boolean {
  const isTold = type === 'function_call_output' && callId === undefined && name !== undefined;
  return OUTPUTS.has(String(type)) && !isTold;
}

function checkContent({ content }: Entry, say: (text: string) => void): void {
  if (content === '' || (Array.isArray(content) && content.length === 0)) say('empty content');
  if (objects(content).some(({ text }) => text === '')) say('an empty text part');
}

function checkNames({ name, call_id: id }: Entry, say: (text: string) => void): void {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) say(`the tool name ${String(name)}`);
  if (String(id).length > 64) say(`the call id ${String(id)} is longer than 64`);
}

function pairId({ type, call_id: callId, approval_request_id: requestId, id }: Entry): string {
  return String((type === 'mcp_approval_response' ? requestId : callId) ?? id);
}

/** The model's own item comes next, or nothing yet. */
function isFollowed(context: readonly Entry[], index: number): boolean {
  const next = context.slice(index + 1).find(({ type }) => type !== 'reasoning');
  return next === undefined || isOfModel(next);
}

function isOfModel(item: Entry): boolean {
  const type = String(item.type ?? 'message');
  if (type === 'message') return item.role === 'assistant';
  return !OUTPUTS.has(type) && type !== 'compaction_trigger';
}

/** Where the last turn of the model starts, when only outputs follow it. */
function openFrom(context: readonly Entry[]): number {
  let at = context.length;
  while (at > 0 && OUTPUTS.has(String(context[at - 1]?.type))) at--;
  for (let item = context[at - 1]; item !== undefined && isOfModel(item); item = context[at - 1])
    at--;
  return at;
}
