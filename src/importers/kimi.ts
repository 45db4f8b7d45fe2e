import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject, stringField } from '../domain/json.ts';
import {
  type Conversation,
  isoTime,
  linesImporter,
  notesOf,
  numberField,
  objectField,
  Tally,
} from './transcript.ts';

/**
 * Sessions of Kimi Code (`wire.jsonl`): a line for each event, of which those of `context` are what the
 * model is told and says. A history that it has shortened itself follows the messages that it stands for.
 */
export const kimi = linesImporter({
  source: 'kimi',
  description: 'Kimi Code session (wire.jsonl: lines with type context.append_message …)',
  isOwn: ({ type, message, event }) =>
    (type === 'context.append_message' && isJsonObject(message)) ||
    (type === 'context.append_loop_event' && isJsonObject(event)),
  read: readLines,
});

/** What the model says in one step, and the results of the calls in it. */
type Step = { blocks: JsonObject[]; results: JsonObject[]; usage?: JsonObject; timestamp?: string };

function readLines(lines: readonly JsonObject[]): Conversation {
  const items: Item[] = [];
  const skipped = new Tally();
  const leftOut = new Tally();
  let model: string | null = null;
  let step: Step = { blocks: [], results: [] };
  const endStep = () => {
    const made = itemsOf(step, model);
    items.push(...made);
    const pieces = step.blocks.length + step.results.length - made.length;
    if (pieces > 0) skipped.add('piece_of_message', pieces);
    step = { blocks: [], results: [] };
  };
  for (const line of lines) {
    const timestamp = isoTime(line.time);
    const event = objectField(line, 'event');
    if (line.type === 'llm.request') model = stringField(line, 'model') ?? model;
    if (line.type === 'context.append_message') {
      endStep();
      const item = messageItem(objectField(line, 'message'));
      if (item === null) skipped.add('empty_message');
      else items.push(timestamp === undefined ? item : { ...item, timestamp });
    } else if (line.type === 'context.append_loop_event') {
      if (event.type === 'step.begin') endStep();
      if (event.type === 'step.end') step.usage = usageOf(objectField(event, 'usage'));
      const kind = addTo(step, event);
      if (kind !== null) (event.type === 'content.part' ? leftOut : skipped).add(kind);
      if (timestamp !== undefined) step.timestamp ??= timestamp;
    } else {
      skipped.add(stringField(line, 'type') ?? 'line_without_type');
    }
  }
  endStep();
  return { format: 'anthropic', model, items, skipped, notes: notesOf(leftOut) };
}

/** Null for an event that has become a part of the step, else the kind under which it is left out. */
function addTo({ blocks, results }: Step, event: JsonObject): string | null {
  const id = stringField(event, 'toolCallId') ?? '';
  switch (event.type) {
    case 'content.part': {
      const part = objectField(event, 'part');
      const text = stringField(part, 'text') ?? '';
      if (part.type !== 'text' || text === '') return stringField(part, 'type') ?? 'part';
      blocks.push({ type: 'text', text });
      return null;
    }
    case 'tool.call': {
      const name = stringField(event, 'name') ?? '';
      blocks.push({ type: 'tool_use', id, name, input: objectField(event, 'args') });
      return null;
    }
    case 'tool.result': {
      const result = objectField(event, 'result');
      const content = stringField(result, 'output') ?? JSON.stringify(result);
      const error = result.isError === true ? { is_error: true } : {};
      results.push({ type: 'tool_result', tool_use_id: id, content, ...error });
      return null;
    }
    default:
      return stringField(event, 'type') ?? 'event_without_type';
  }
}

function itemsOf({ blocks, results, usage, timestamp }: Step, model: string | null): Item[] {
  const times = timestamp === undefined ? {} : { timestamp };
  const said = { ...(model !== null && { model }), ...(usage && { usage }), ...times };
  return [
    ...(blocks.length > 0 ? [{ role: 'assistant', content: blocks, ...said }] : []),
    ...(results.length > 0 ? [{ role: 'user', content: results, ...times }] : []),
  ];
}

/** What the program has put in by itself is not the user's. */
function messageItem(message: JsonObject): Item | null {
  const { role, content } = message;
  const isEmpty =
    content === undefined || content === '' || (Array.isArray(content) && !content[0]);
  if (typeof role !== 'string' || isEmpty) return null;
  const isInjected = objectField(message, 'origin').kind === 'injection';
  return { role, content, ...(isInjected && { speaker: 'program' }) };
}

function usageOf(usage: JsonObject): JsonObject {
  return {
    input_tokens: numberField(usage, 'inputOther'),
    output_tokens: numberField(usage, 'output'),
    cache_read_input_tokens: numberField(usage, 'inputCacheRead'),
    cache_creation_input_tokens: numberField(usage, 'inputCacheCreation'),
  };
}
