import { objectsIn } from '../../json.ts';
import { CONTROL_TYPES, type Item, OWN_MESSAGE_FIELDS } from '../item.ts';

// Stands by itself: it shares nothing with the renderer that it checks.

const CALL_OF_OUTPUT = new Map([
  ['function_call_output', 'function_call'],
  ['custom_tool_call_output', 'custom_tool_call'],
  ['local_shell_call_output', 'local_shell_call'],
  ['shell_call_output', 'shell_call'],
  ['computer_call_output', 'computer_call'],
  ['apply_patch_call_output', 'apply_patch_call'],
  ['tool_search_output', 'tool_search_call'],
  ['mcp_approval_response', 'mcp_approval_request'],
]);
const CALLS = new Set(CALL_OF_OUTPUT.values());

/** The rules of the Responses API that a rendered context breaks, see `Codec.violations`. */
export function openaiResponsesViolations(rendered: readonly Item[]): string[] {
  const found: string[] = [];
  for (const [index, item] of rendered.entries()) {
    const say = (text: string) => found.push(`item ${index}: ${text}`);
    checkFields(item, say);
    if (isMessage(item)) checkMessage(item, say);
    if (item.type === 'compaction_trigger' && index !== rendered.length - 1) {
      say('a compaction trigger is not the last item');
    }
    if (item.type === 'reasoning' && !isFollowed(rendered, index)) {
      say('reasoning without the item that it led to');
    }
  }
  return [...found, ...pairViolations(rendered)];
}

type Say = (text: string) => void;

function checkFields(item: Item, say: Say): void {
  if (CONTROL_TYPES.some((type) => type === item.type)) say('a control item reached the model');
  for (const field of OWN_MESSAGE_FIELDS) {
    if (field in item) say(`the provider refuses the field "${field}"`);
  }
}

function checkMessage({ role, content }: Item, say: Say): void {
  if (!['user', 'assistant', 'system', 'developer'].some((known) => known === role)) {
    say('the role is unknown');
  }
  const parts = objectsIn(content);
  if (typeof content === 'string' ? content === '' : parts.length === 0)
    say('the content is empty');
  if (parts.some((part) => part.text === '')) say('a text part is empty');
}

/** Whether the model's own next item follows the reasoning. */
function isFollowed(rendered: readonly Item[], index: number): boolean {
  let next = index + 1;
  while (rendered[next]?.type === 'reasoning') next++;
  const follower = rendered[next];
  return follower !== undefined && isModel(follower);
}

function pairViolations(rendered: readonly Item[]): string[] {
  const found: string[] = [];
  const end = openEnd(rendered);
  const waiting = new Map<string, { type: string; index: number }>();
  for (const [index, item] of rendered.entries()) {
    const id = pairId(item);
    if (id === undefined) continue;
    const earlier = waiting.get(id);
    if (isOutput(item)) {
      const isAnswer = earlier !== undefined && callTypesOf(item).includes(earlier.type);
      if (isAnswer) waiting.delete(id);
      else found.push(`item ${index}: the output of ${id} answers no call of its kind`);
    } else if (CALLS.has(String(item.type))) {
      if (earlier !== undefined) {
        const unanswered = `item ${earlier.index}: the call ${id} has no output`;
        found.push(`${unanswered} before its id is used again`);
      }
      waiting.set(id, { type: String(item.type), index });
    }
  }
  for (const [id, { index }] of waiting) {
    // The model does not wait for an asynchronous one.
    const isAsync = rendered[index]?.async === true;
    if (index < end && !isAsync) found.push(`item ${index}: the call ${id} has no output`);
  }
  return found;
}

/** The types of the calls that an output may answer; Codex answers its local shell as a function. */
function callTypesOf(output: Item): string[] {
  const own = CALL_OF_OUTPUT.get(String(output.type)) ?? '';
  return own === 'function_call' ? [own, 'local_shell_call'] : [own];
}

/** The index from which calls may be open: the model's last turn, with only outputs after it. */
function openEnd(rendered: readonly Item[]): number {
  let at = rendered.length;
  const before = () => rendered[at - 1];
  for (let item = before(); item !== undefined && isOutput(item); item = before()) at--;
  for (let item = before(); item !== undefined && isModel(item); item = before()) at--;
  return at;
}

function isModel(item: Item): boolean {
  if (isMessage(item)) return item.role === 'assistant';
  return !isOutput(item) && !isTold(item) && item.type !== 'compaction_trigger';
}

function isMessage(item: Item): boolean {
  return item.type === undefined || item.type === null || item.type === 'message';
}

function isOutput(item: Item): boolean {
  return CALL_OF_OUTPUT.has(String(item.type)) && pairId(item) !== undefined && !isTold(item);
}

/** An output of no call, which names what it is instead. */
function isTold({ type, call_id: callId, name }: Item): boolean {
  return type === 'function_call_output' && callId === undefined && typeof name === 'string';
}

function pairId(item: Item): string | undefined {
  if (typeof item.approval_request_id === 'string' && item.type === 'mcp_approval_response') {
    return item.approval_request_id;
  }
  if (typeof item.call_id === 'string') return item.call_id;
  const isToolSearch = String(item.type).startsWith('tool_search');
  return typeof item.id === 'string' && !isToolSearch ? item.id : undefined;
}
