import { type Json, type JsonObject, stringField } from '../../json.ts';
import { decodeArguments } from '../decode-arguments.ts';
import type { Item } from '../item.ts';
import { type Ending, shellOutput, shellOutputWith } from './shell-output.ts';

/** One kind of tool that the client runs: how its calls read and what a textual result looks like. */
type ToolKind = {
  output: string;
  name: (call: Item) => string;
  input: (call: Item) => Json;
  /** The fields that make a text the content of a new output item. */
  content: (text: string, ending: Ending) => JsonObject;
  /** The same for an output item that is there, where it holds more than the text. */
  replaced?: (output: Item, text: string) => JsonObject;
};

// A screenshot has no text form, so the smallest picture there is stands for one that is gone.
const EMPTY_PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

const LOCAL_SHELL_OUTPUT = 'local_shell_call_output';

const FUNCTION_CALL: ToolKind = {
  output: 'function_call_output',
  name: (call) => stringField(call, 'name') ?? '',
  input: (call) => decodeArguments(call.arguments),
  content: (text) => ({ output: text }),
};

/** The request of a server for leave to run a tool: the client answers it as it answers a call. */
const APPROVAL_REQUEST: ToolKind = {
  output: 'mcp_approval_response',
  name: () => 'mcp_approval_request',
  input: (call) => ({
    server_label: call.server_label ?? null,
    name: call.name ?? null,
    arguments: decodeArguments(call.arguments),
  }),
  content: (text) => ({ reason: text }),
};

const TOOL_KINDS: Readonly<Record<string, ToolKind>> = {
  function_call: FUNCTION_CALL,
  custom_tool_call: {
    output: 'custom_tool_call_output',
    name: (call) => stringField(call, 'name') ?? '',
    input: (call) => call.input ?? '',
    content: (text) => ({ output: text }),
  },
  local_shell_call: {
    output: LOCAL_SHELL_OUTPUT,
    name: () => 'local_shell',
    input: (call) => call.action ?? {},
    content: (text) => ({ output: text }),
  },
  shell_call: {
    output: 'shell_call_output',
    name: () => 'shell',
    input: (call) => call.action ?? {},
    content: (text, ending) => ({ output: shellOutput(text, ending) }),
    replaced: ({ output }, text) => ({ output: shellOutputWith(output, text) }),
  },
  computer_call: {
    output: 'computer_call_output',
    name: () => 'computer',
    // Newer models do several things in one call.
    input: (call) => call.action ?? (call.actions === undefined ? {} : { actions: call.actions }),
    content: () => ({ output: { type: 'computer_screenshot', image_url: EMPTY_PICTURE } }),
  },
  apply_patch_call: {
    output: 'apply_patch_call_output',
    name: () => 'apply_patch',
    input: (call) => call.operation ?? {},
    // There is no third status: what may have been left undone is better looked at again.
    content: (text, ending) => ({
      output: text,
      status: ending === 'worked' ? 'completed' : 'failed',
    }),
    replaced: (_output, text) => ({ output: text }),
  },
  tool_search_call: {
    output: 'tool_search_output',
    name: () => 'tool_search',
    input: (call) => call.arguments ?? {},
    content: () => ({ tools: [] }),
  },
  mcp_approval_request: APPROVAL_REQUEST,
};

const KIND_OF_OUTPUT = new Map(Object.values(TOOL_KINDS).map((kind) => [kind.output, kind]));

/** The kind of tool that the item calls, or undefined when it is no call that the client answers. */
export function toolKindOf(item: Item): ToolKind | undefined {
  const type = stringField(item, 'type') ?? '';
  return Object.hasOwn(TOOL_KINDS, type) ? TOOL_KINDS[type] : undefined;
}

/** The id that a call item is answered by, or undefined when the item is no such call. */
export function calledId(item: Item): string | undefined {
  return toolKindOf(item) === undefined ? undefined : pairingId(item);
}

/**
 * What an output of no call is: Codex tells its model so what is not to be taken for an instruction, such
 * as the objective of its goal. Undefined for any other item.
 */
export function toldAs(item: Item): string | undefined {
  if (item.type !== 'function_call_output' || typeof item.call_id === 'string') return undefined;
  const name = stringField(item, 'name');
  return name === undefined ? undefined : `${stringField(item, 'namespace') ?? ''} ${name}`.trim();
}

/** The id of the call that an output item answers, or undefined when the item is no output. */
export function answeredId(item: Item): string | undefined {
  if (toldAs(item) !== undefined) return undefined;
  return KIND_OF_OUTPUT.has(stringField(item, 'type') ?? '') ? pairingId(item) : undefined;
}

/** The other id of a local shell call: clients answer it by either. */
export function otherId(item: Item): string | undefined {
  return item.type === 'local_shell_call' ? stringField(item, 'id') : undefined;
}

// A local shell output names its call in `id`. A tool search without call_id ran on the server and
// needs no answer from the client.
function pairingId(item: Item): string | undefined {
  if (item.type === 'mcp_approval_response') return stringField(item, 'approval_request_id');
  const callId = stringField(item, 'call_id');
  if (callId !== undefined) return callId;
  return stringField(item, 'type')?.startsWith('tool_search') ? undefined : stringField(item, 'id');
}

/**
 * Whether the output is of the kind that the call takes; one of another kind is no answer. Codex
 * answers a `local_shell_call` by a `function_call_output`, so that counts as well.
 */
export function isOutputOfKind(output: Item, call: Item): boolean {
  const wanted = toolKindOf(call)?.output;
  return (
    output.type === wanted ||
    (wanted === LOCAL_SHELL_OUTPUT && output.type === 'function_call_output')
  );
}

/** The call or output with another id in the field that joins the two. */
export function withPairingId(item: Item, id: string): Item {
  if (item.type === 'mcp_approval_response') return { ...item, approval_request_id: id };
  return stringField(item, 'call_id') === undefined ? { ...item, id } : { ...item, call_id: id };
}

/** The output item with a text as its content; other fields stay, and so does how the call ended. */
export function withOutputText(output: Item, text: string): Item {
  const kind = KIND_OF_OUTPUT.get(stringField(output, 'type') ?? '');
  if (kind === undefined) return output;
  return { ...output, ...(kind.replaced?.(output, text) ?? kind.content(text, 'worked')) };
}

/**
 * An output item of the kind that the call takes, with a text as its content. Null for a request that
 * the user decides: a decision that was not made is nobody's to write.
 */
export function outputFor(call: Item, text: string, ending: Ending): Item | null {
  const kind = toolKindOf(call) ?? FUNCTION_CALL;
  const id = calledId(call) ?? '';
  const output = { type: kind.output, ...kind.content(text, ending) };
  switch (kind.output) {
    case LOCAL_SHELL_OUTPUT:
      return { ...output, id };
    case 'mcp_approval_response':
      return null;
    case 'tool_search_output':
      return { ...output, call_id: id, execution: 'client' };
    default:
      return { ...output, call_id: id };
  }
}
