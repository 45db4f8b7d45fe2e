import type { Item } from '../domain/items/item.ts';
import { openaiResponsesCodec } from '../domain/items/openai-responses/codec.ts';
import { utterancesOf } from '../domain/items/speaker.ts';
import { isJsonObject, type JsonObject, stringField } from '../domain/json.ts';
import { type Conversation, linesImporter, numberField, objectField, Tally } from './transcript.ts';

/** Rollouts of the Codex CLI: each `response_item` line carries one Responses item. */
export const codex = linesImporter({
  source: 'codex',
  description: 'Codex rollout (JSON lines with type session_meta, response_item … and payload)',
  isOwn: ({ type, payload }) =>
    (type === 'response_item' || type === 'session_meta') && isJsonObject(payload),
  read: readLines,
});

/**
 * The items as they are. `compacted` lines are left out: the items that they replaced stand before
 * them in the file, so the history is imported in full and our own compaction decides.
 */
function readLines(lines: JsonObject[]): Conversation {
  const items: Item[] = [];
  const skipped = new Tally();
  let model: string | null = null;
  /** The newest output of the model that has no usage yet. */
  let output: Item | undefined;
  let usageSeen = '';

  for (const line of lines) {
    const type = stringField(line, 'type') ?? 'line_without_type';
    const payload = line.payload;
    if (type === 'response_item' && isJsonObject(payload)) {
      if (payload.type === 'compaction_trigger' || payload.type === 'item_reference') {
        skipped.add(`response_item:${payload.type}`);
        continue;
      }
      const item: Item = { ...payload };
      if (typeof line.timestamp === 'string') item.timestamp = line.timestamp;
      items.push(item);
      if (isModelOutput(item)) output = item;
      continue;
    }
    if (type === 'turn_context')
      model = stringField(objectField(line, 'payload'), 'model') ?? model;
    if (type !== 'event_msg' || !isJsonObject(payload)) {
      skipped.add(type);
      continue;
    }
    const event = stringField(payload, 'type') ?? 'unnamed';
    skipped.add(`event_msg:${event}`);
    if (event === 'thread_rolled_back') {
      const kept = beforeLastTurns(items, numberField(payload, 'num_turns'));
      if (kept < items.length) skipped.add('other_branch', items.length - kept);
      items.length = kept;
    }
    if (event !== 'token_count') continue;
    const info = objectField(payload, 'info');
    // The same figures come again whenever the rate limits change.
    const total = JSON.stringify(info.total_token_usage ?? null);
    if (output && isJsonObject(info.last_token_usage) && total !== usageSeen) {
      output.usage = responsesUsage(info.last_token_usage);
      output = undefined;
    }
    usageSeen = total;
  }
  return { format: 'openai-responses', model, items, skipped, notes: [] };
}

/**
 * How many items stand before the last turns of the user, who has gone back behind them. What Codex has
 * told the model at the beginning of a turn, such as another folder, goes with it, as it does there.
 */
function beforeLastTurns(items: readonly Item[], turns: number): number {
  let left = turns;
  let place = items.length;
  for (let at = items.length - 1; at >= 0 && left > 0; at--) {
    const item = items[at];
    if (item?.role !== 'user' || !isSaidByUser(item)) continue;
    place = at;
    left--;
  }
  const first = items.findIndex((item) => item.role === 'user' && isSaidByUser(item));
  if (place <= first) return place;
  while (place > 0 && isToldByProgram(items[place - 1])) place--;
  return place;
}

function isToldByProgram(item: Item | undefined): boolean {
  if (item?.role === 'developer') return true;
  return item?.role === 'user' && !isSaidByUser(item);
}

/** Instructions of the project and notes on the environment come as messages of the user, too. */
function isSaidByUser(item: Item): boolean {
  const message = openaiResponsesCodec.normalise(item);
  if (message.kind !== 'message') return false;
  return (
    message.parts.some(({ kind }) => kind === 'image') ||
    utterancesOf(message).some((said) => said?.some(({ speaker }) => speaker === 'user'))
  );
}

function isModelOutput(item: Item): boolean {
  switch (item.type) {
    case 'message':
      return item.role === 'assistant';
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
      return true;
    default:
      return false;
  }
}

function responsesUsage(usage: JsonObject): JsonObject {
  return {
    input_tokens: numberField(usage, 'input_tokens'),
    output_tokens: numberField(usage, 'output_tokens'),
    input_tokens_details: { cached_tokens: numberField(usage, 'cached_input_tokens') },
  };
}
