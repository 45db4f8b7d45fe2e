import { isJsonObject, type JsonObject, objectsIn, stringField } from '../../json.ts';
import type { ResultEdits } from '../codec.ts';
import { isControlItem, normaliseControlItem } from '../control-items.ts';
import { imageOf, sourceOfUrl } from '../convert.ts';
import type { Item, Message, Normalised, ToolResult } from '../item.ts';
import { messageOf } from '../own-fields.ts';
import { withInput } from '../replace-input.ts';
import { isSpoken, partsOf } from '../shape.ts';
import { agentMessageToldAs, isAgentMessage } from './agent-messages.ts';
import { isSetting } from './settings.ts';
import { isFailedShellOutput, shellTexts } from './shell-output.ts';
import { answeredId, calledId, otherId, toldAs, toolKindOf, withOutputText } from './tools.ts';

/** The normalised view of a Responses item or control item. */
export function normaliseOpenaiResponses(item: Item): Normalised {
  return isControlItem(item) ? normaliseControlItem(item) : normaliseResponsesItem(item);
}

function normaliseResponsesItem(item: Item): Message {
  if (item.type === undefined || item.type === null || item.type === 'message') {
    return messageOf(item, roleOf(item), partsOf(item.content, partOf));
  }
  if (item.type === 'reasoning') {
    const text = [...objectsIn(item.summary), ...objectsIn(item.content)]
      .map((part) => stringField(part, 'text') ?? '')
      .join('\n');
    return messageOf(item, 'assistant', [{ kind: 'thinking', text, source: item }]);
  }
  const kind = toolKindOf(item);
  const callId = calledId(item);
  if (kind !== undefined && callId !== undefined) {
    const call = { id: callId, name: kind.name(item), input: kind.input(item), source: item };
    const other_id = otherId(item);
    const named = other_id === undefined || other_id === callId ? call : { ...call, other_id };
    return messageOf(item, 'assistant', [{ kind: 'tool_call', ...named }]);
  }
  if (isAgentMessage(item)) {
    const said = messageOf(item, 'user', partsOf(item.content, partOf));
    const told_as = agentMessageToldAs(item);
    return {
      ...said,
      speaker: said.speaker ?? 'subagent',
      ...(told_as !== undefined && { told_as }),
    };
  }
  const told_as = toldAs(item);
  if (told_as !== undefined) {
    const told = messageOf(item, 'user', partsOf(item.output, partOf));
    return { ...told, speaker: told.speaker ?? 'program', told_as };
  }
  const answered = answeredId(item);
  if (answered !== undefined) {
    const result = { call_id: answered, content: outputContent(item), is_error: isFailed(item) };
    return messageOf(item, 'user', [{ kind: 'tool_result', ...result }]);
  }
  return messageOf(item, isSetting(item) ? 'system' : 'assistant', [
    { kind: 'opaque', json: item },
  ]);
}

function roleOf(item: Item): Message['role'] {
  if (item.role === 'assistant') return 'assistant';
  return item.role === 'user' ? 'user' : 'system';
}

function isFailed(item: Item): boolean {
  const { status } = item;
  if (item.is_error === true || item.success === false) return true;
  if (status === 'failed' || status === 'incomplete') return true;
  if (item.type === 'mcp_approval_response') return item.approve !== true;
  return item.type === 'shell_call_output' && isFailedShellOutput(item.output);
}

function outputContent(item: Item): ToolResult['content'] {
  const output = item.output ?? item.tools;
  switch (item.type) {
    case 'shell_call_output':
      return shellTexts(output).map((text) => ({ kind: 'text', text }));
    case 'computer_call_output':
      return isJsonObject(output) ? [partOf({ ...output, type: 'input_image' })] : [];
    case 'mcp_approval_response': {
      const reason = stringField(item, 'reason');
      const decision = item.approve === true ? 'Approved' : 'Not approved';
      return [{ kind: 'text', text: reason === undefined ? decision : `${decision}: ${reason}` }];
    }
    case 'tool_search_output':
      return objectsIn(output).map((json) => ({ kind: 'opaque', json }));
    default:
      return partsOf(output, partOf);
  }
}

function partOf(block: JsonObject): ToolResult['content'][number] {
  switch (block.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { kind: 'text', text: stringField(block, 'text') ?? '' };
    case 'output_audio':
      return { kind: 'text', text: stringField(block, 'transcript') ?? '' };
    case 'refusal':
      return { kind: 'text', text: stringField(block, 'refusal') ?? '' };
    case 'input_image': {
      const url = stringField(block, 'image_url');
      return imageOf(block, url === undefined ? undefined : sourceOfUrl(url));
    }
    default:
      return { kind: 'opaque', json: block };
  }
}

/** Tool calls and their results count, which are items without a role here. */
export function isOpenaiResponsesMessage(item: Item): boolean {
  if (item.role !== undefined) return isSpoken(item);
  return /_call(?:_output)?$/.test(stringField(item, 'type') ?? '');
}

/** The output item with its content replaced when it is one of the named tool results. */
export function editOpenaiResponsesResults(item: Item, edits: ResultEdits): Item {
  const id = isControlItem(item) ? undefined : answeredId(item);
  const text = id === undefined ? undefined : edits.get(id);
  return text === undefined ? item : withOutputText(item, text);
}

/** The item with its input replaced when it is one of the named calls. */
export function editOpenaiResponsesInputs(item: Item, edits: ResultEdits): Item {
  const id = isControlItem(item) ? undefined : calledId(item);
  const field = INPUT_FIELDS[stringField(item, 'type') ?? ''];
  if (id === undefined || field === undefined) return item;
  return withInput(item, field, edits.get(id));
}

/** Where the kinds of calls that can write files hold what they are given. */
const INPUT_FIELDS: Readonly<Record<string, string>> = {
  function_call: 'arguments',
  custom_tool_call: 'input',
  local_shell_call: 'action',
  shell_call: 'action',
  apply_patch_call: 'operation',
};
