import { type Entry, objects } from './reading.ts';

const MOST_CACHE_MARKS = 4;
const SERVER_CALLS = ['server_tool_use', 'mcp_tool_use'];

/** The rules of the Messages API that its types do not say. */
export function anthropicProblems(context: readonly Entry[]): string[] {
  const found: string[] = [];
  const ids = new Set<unknown>();
  const programs = new Set<unknown>();
  let marks = 0;
  for (const [index, message] of context.entries()) {
    const say = (text: string) => found.push(`${index}: ${text}`);
    const blocks = objects(message.content);
    place(context, index, say);
    emptiness(message, blocks, say);
    marks += marksOf(message);
    if (message.role === 'assistant') {
      clientCalls(context, index, ids, say);
      serverCalls(context, index, say);
      const last = String(blocks.at(-1)?.type);
      if (last.endsWith('thinking')) say('an assistant message ends with thinking');
    } else if (message.role === 'user') results(context, index, say);
    for (const block of blocks) {
      if (SERVER_CALLS.includes(String(block.type))) programs.add(block.id);
      const [caller] = objects([block.caller]);
      if (caller?.tool_id !== undefined && !programs.has(caller.tool_id)) {
        say(`the program ${String(caller.tool_id)} of a call is not there`);
      }
      const id = block.type === 'tool_result' ? block.tool_use_id : block.id;
      if (typeof id === 'string' && !/^[a-zA-Z0-9_-]+$/.test(id)) say(`the id ${id} is refused`);
    }
  }
  if (marks > MOST_CACHE_MARKS) found.push(`${marks} blocks with cache_control, 4 are allowed`);
  return found;
}

type Say = (text: string) => void;

function place(context: readonly Entry[], index: number, say: Say): void {
  const role = context[index]?.role;
  const before = context[index - 1];
  const isCompaction = objects(context[index]?.content)[0]?.type === 'compaction';
  if (before === undefined) {
    if (role !== 'user' && !(role === 'assistant' && isCompaction)) say('does not start with user');
    return;
  }
  if (role === before.role) say(`two ${String(role)} messages in a row`);
  if (role !== 'system') {
    if (before.role === 'system' && role !== 'assistant') say('a system message before the user');
    return;
  }
  const last = String(objects(before.content).at(-1)?.type);
  const isServerTool = before.role === 'assistant' && last.endsWith('_tool_result');
  if (before.role !== 'user' && !isServerTool) say('a system message that follows no user');
}

function emptiness(message: Entry, blocks: readonly Entry[], say: Say): void {
  const { content } = message;
  if (typeof content === 'string' && content.trim() === '') say('empty content');
  // Claude Code sets the effort of a turn so.
  const setsOptions = message.role === 'system' && message.output_config !== undefined;
  if (Array.isArray(content) && content.length === 0 && !setsOptions) say('empty content');
  const inside = blocks.filter(isResult).flatMap((result) => objects(result.content));
  for (const { type, text } of [...blocks, ...inside]) {
    if (type === 'text' && String(text).trim() === '') say('an empty text block');
  }
}

function isResult(block: Entry): boolean {
  return block.type === 'tool_result';
}

/** Only calls of the last answer may wait, with nothing but results of theirs after it. */
function clientCalls(context: readonly Entry[], index: number, ids: Set<unknown>, say: Say): void {
  const next = objects(context[index + 1]?.content);
  const rest = context.slice(index + 1, index + 4);
  const isEnd =
    rest.length < 3 &&
    rest.every(
      ({ role, content }) =>
        role === 'system' || (Array.isArray(content) && objects(content).every(isResult)),
    );
  for (const { type, id } of objects(context[index]?.content)) {
    if (type === 'tool_result') say('an assistant with a tool_result');
    if (type !== 'tool_use') continue;
    if (ids.has(id)) say(`two calls with the id ${String(id)}`);
    ids.add(id);
    const isAnswered = next.some((block) => isResult(block) && block.tool_use_id === id);
    if (!isAnswered && !isEnd) say(`the call ${String(id)} is not answered by the next message`);
  }
}

function results(context: readonly Entry[], index: number, say: Say): void {
  const calls = objects(context[index - 1]?.content).filter(({ type }) => type === 'tool_use');
  const answered = new Set<unknown>();
  let hasOther = false;
  for (const block of objects(context[index]?.content)) {
    if (block.type === 'tool_use' || SERVER_CALLS.includes(String(block.type))) {
      say('a user who calls a tool');
    }
    if (!isResult(block)) {
      hasOther = true;
      continue;
    }
    const id = block.tool_use_id;
    if (hasOther) say(`the result of ${String(id)} is not at the front`);
    if (answered.has(id)) say(`two results for ${String(id)}`);
    answered.add(id);
    if (!calls.some((call) => call.id === id))
      say(`the result of ${String(id)} has no call before`);
  }
}

/** Tools of the provider: result after call, in this answer or, between results, in a later one. */
function serverCalls(context: readonly Entry[], index: number, say: Say): void {
  const blocks = objects(context[index]?.content);
  const called = new Set(
    answerBefore(context, index).flatMap(({ type, id }) =>
      SERVER_CALLS.includes(String(type)) ? [id] : [],
    ),
  );
  for (const block of blocks) {
    if (SERVER_CALLS.includes(String(block.type))) called.add(block.id);
    else if (String(block.type).endsWith('_tool_result') && !called.has(block.tool_use_id)) {
      say(`the ${String(block.type)} of ${String(block.tool_use_id)} has no call before`);
    }
  }
}

/** The blocks of the assistant messages right before, with only tool results between. */
function answerBefore(context: readonly Entry[], index: number): Entry[] {
  const found: Entry[] = [];
  for (let at = index - 1; at >= 0; at--) {
    const { role, content } = context[at] ?? {};
    if (role === 'assistant') found.push(...objects(content));
    else if (role === 'user' && !objects(content).every(isResult)) break;
  }
  return found;
}

function marksOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + marksOf(one), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [field, one]) =>
      sum + (field === 'input' ? 0 : marksOf(one)) + (field === 'cache_control' && one ? 1 : 0),
    0,
  );
}
