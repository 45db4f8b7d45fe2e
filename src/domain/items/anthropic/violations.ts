import { isJsonObject, type Json, type JsonObject, objectsIn } from '../../json.ts';
import { CONTROL_TYPES, type Item, OWN_MESSAGE_FIELDS } from '../item.ts';

// Stands by itself: it shares nothing with the renderer that it checks.

/** The rules of the Messages API that a rendered context breaks, see `Codec.violations`. */
export function anthropicViolations(rendered: readonly Item[]): string[] {
  const found: string[] = [];
  const seenIds = new Set<string>();
  for (const [index, message] of rendered.entries()) {
    const say = (text: string) => found.push(`message ${index}: ${text}`);
    checkFields(message, say);
    checkOrder(rendered, index, say);
    checkContent(message, say);
    if (message.role === 'assistant') checkCalls(rendered, index, seenIds, say);
    else if (message.role === 'system') checkSystem(rendered, index, say);
    else checkResults(rendered, index, say);
  }
  return [...found, ...serverToolViolations(rendered)];
}

type Say = (text: string) => void;

function checkFields(message: Item, say: Say): void {
  if (CONTROL_TYPES.some((type) => type === message.type)) say('a control item reached the model');
  for (const field of [...OWN_MESSAGE_FIELDS, 'id']) {
    if (field in message) say(`the provider refuses the field "${field}"`);
  }
  const isKnown = ['user', 'assistant', 'system'].some((role) => role === message.role);
  if (!isKnown) say('the role is unknown');
}

function checkSystem(rendered: readonly Item[], index: number, say: Say): void {
  if (rendered[index - 1]?.role !== 'user') say('a system message does not follow the user');
  const next = rendered[index + 1]?.role;
  if (next !== undefined && next !== 'assistant')
    say('a system message is not followed by an answer');
  const isText = (block: JsonObject) => block.type === 'text';
  const isToolChange = (block: JsonObject) => String(block.type).startsWith('tool_');
  const own = blocks(rendered[index]);
  if (own.some((block) => isToolResult(block) || !(isText(block) || isToolChange(block)))) {
    say('a system message holds more than text');
  }
}

function isToolResult(block: JsonObject): boolean {
  return block.type === 'tool_result';
}

function checkOrder(rendered: readonly Item[], index: number, say: Say): void {
  const message = rendered[index];
  const isCompactionHead = blocks(message)[0]?.type === 'compaction';
  if (index === 0 && message?.role !== 'user' && !isCompactionHead) {
    say('the conversation does not start with the user');
  }
  if (index > 0 && rendered[index - 1]?.role === message?.role) {
    say('two messages of one role stand next to each other');
  }
}

function checkContent(message: Item, say: Say): void {
  const content = message.content;
  // It only sets an option for the turn.
  const setsOptions = message.role === 'system' && isJsonObject(message.output_config);
  const isEmpty =
    typeof content === 'string' ? content.trim() === '' : blocks(message).length === 0;
  if (isEmpty && !(setsOptions && typeof content !== 'string')) say('the content is empty');
  for (const block of blocks(message)) {
    if (isBlank(block)) say('a text block is empty');
    if (block.type === 'tool_result') checkResultContent(block, say);
  }
  const last = blocks(message).at(-1)?.type;
  if (message.role === 'assistant' && (last === 'thinking' || last === 'redacted_thinking')) {
    say('an assistant message ends with thinking');
  }
}

function checkResultContent(result: JsonObject, say: Say): void {
  const parts = objectsIn(result.content);
  if (parts.some(isBlank)) say('a tool result holds an empty text block');
  const hasText = typeof result.content === 'string' ? result.content !== '' : parts.length > 0;
  if (result.is_error === true && !hasText) say('an error result has no content');
}

function checkCalls(rendered: readonly Item[], index: number, seen: Set<string>, say: Say): void {
  const own = blocks(rendered[index]);
  if (own.some((block) => block.type === 'tool_result'))
    say('an assistant message holds a tool result');
  const next = blocks(rendered[index + 1]);
  const answered = new Set(
    next.filter((block) => block.type === 'tool_result').map((block) => block.tool_use_id),
  );
  const isEnd = index === rendered.length - 1;
  const isLastAnswer = rendered.length - (rendered.at(-1)?.role === 'system' ? 3 : 2) === index;
  const onlyResultsFollow = isLastAnswer && next.length > 0 && next.every(isToolResult);
  for (const block of own) {
    if (block.type !== 'tool_use') continue;
    const id = String(block.id);
    if (seen.has(id)) say(`the call id ${id} occurs twice`);
    if (!/^[a-zA-Z0-9_-]+$/.test(id)) say(`the call id ${id} has letters that are refused`);
    seen.add(id);
    if (!answered.has(id) && !isEnd && !onlyResultsFollow) {
      say(`the call ${id} is not answered in the next message`);
    }
  }
}

function checkResults(rendered: readonly Item[], index: number, say: Say): void {
  const previous = index === 0 ? undefined : rendered[index - 1];
  const calls = new Set(
    blocks(previous)
      .filter((block) => block.type === 'tool_use')
      .map((block) => block.id),
  );
  let isPastResults = false;
  const answered = new Set<Json | undefined>();
  for (const block of blocks(rendered[index])) {
    if (block.type === 'tool_use') say('a user message holds a tool call');
    if (block.type !== 'tool_result') {
      isPastResults = true;
      continue;
    }
    const id = block.tool_use_id;
    if (isPastResults) say(`the result of ${String(id)} stands after other content`);
    if (!calls.has(id)) say(`the result of ${String(id)} has no call in the message before it`);
    if (answered.has(id)) say(`the call ${String(id)} has two results`);
    answered.add(id);
  }
}

/**
 * A tool that the provider runs has its result after its call, with nothing of the user between
 * but results of the client's own tools; calls at the very end may be open, and so may one whose program
 * has made the last calls (`caller`).
 */
function serverToolViolations(rendered: readonly Item[]): string[] {
  const found: string[] = [];
  const waiting = new Map<string, { index: number; at: number }>();
  const complain = (key: string, index: number) =>
    found.push(`message ${index}: the server tool call ${key} has no result after it`);
  for (const [index, message] of rendered.entries()) {
    const own = blocks(message);
    if (message.role === 'system') continue;
    if (message.role !== 'assistant') {
      if (own.some(isServerTool))
        found.push(`message ${index}: a user message holds a server tool block`);
      if (own.length > 0 && own.every((block) => block.type === 'tool_result')) continue;
      for (const [key, call] of waiting) complain(key, call.index);
      waiting.clear();
      continue;
    }
    for (const [at, block] of own.entries()) {
      if (!isServerTool(block)) continue;
      const owner = String(block.type).startsWith('mcp_') ? 'mcp' : 'provider';
      if (isServerResult(block)) {
        const key = `${owner} ${String(block.tool_use_id)}`;
        if (waiting.delete(key)) continue;
        found.push(`message ${index}: the server tool result ${key} has no call before it`);
      } else {
        const key = `${owner} ${String(block.id)}`;
        const earlier = waiting.get(key);
        if (earlier !== undefined) complain(key, earlier.index);
        waiting.set(key, { index, at });
      }
    }
  }
  const last = rendered.findLastIndex((message) => message.role === 'assistant');
  const openFrom =
    blocks(rendered[last]).findLastIndex(
      (block) => block.type !== 'tool_use' && !isServerTool(block),
    ) + 1;
  const programs = new Set(
    blocks(rendered[last]).flatMap(({ caller }) =>
      isJsonObject(caller) ? [`provider ${String(caller.tool_id)}`] : [],
    ),
  );
  for (const [key, { index, at }] of waiting) {
    if (!programs.has(key) && (index !== last || at < openFrom)) complain(key, index);
  }
  return found;
}

function isServerTool(block: JsonObject): boolean {
  const isCall = block.type === 'server_tool_use' || block.type === 'mcp_tool_use';
  return isCall || isServerResult(block);
}

function isServerResult(block: JsonObject): boolean {
  return String(block.type).endsWith('_tool_result');
}

function blocks(message: Item | undefined): JsonObject[] {
  return objectsIn(message?.content);
}

function isBlank(block: JsonObject): boolean {
  return block.type === 'text' && (typeof block.text !== 'string' || block.text.trim() === '');
}
