import { isJsonObject, type Json, type JsonObject, stringField } from '../../json.ts';
import { type Answer, type AnswerReader, withoutEndOf } from './answer.ts';

type Block = { block: JsonObject; citations: Json[]; json: string; isDone: boolean };

/** Answers of Anthropic's Messages API. */
export const messagesAnswer: AnswerReader = {
  ofBody: (body) => {
    if (body.type !== 'message' || !Array.isArray(body.content)) return null;
    return answerOf(body, body.content, body.usage, true);
  },
  ofEvents: (events) => {
    let message: JsonObject = {};
    let usage: JsonObject = {};
    let isWhole = false;
    const blocks = new Map<number, Block>();
    for (const event of events) {
      const block = typeof event.index === 'number' ? blocks.get(event.index) : undefined;
      switch (event.type) {
        case 'message_start':
          if (isJsonObject(event.message)) message = event.message;
          if (isJsonObject(message.usage)) usage = message.usage;
          break;
        case 'content_block_start':
          if (typeof event.index === 'number' && isJsonObject(event.content_block)) {
            const begun = { ...event.content_block };
            const citations = Array.isArray(begun.citations) ? [...begun.citations] : [];
            blocks.set(event.index, { block: begun, citations, json: '', isDone: false });
          }
          break;
        case 'content_block_delta':
          if (block !== undefined && isJsonObject(event.delta)) add(block, event.delta);
          break;
        case 'content_block_stop':
          if (block !== undefined) block.isDone = true;
          break;
        case 'message_delta':
          if (isJsonObject(event.usage)) usage = { ...usage, ...withoutNulls(event.usage) };
          break;
        case 'message_stop':
          isWhole = true;
          break;
        default:
      }
    }
    const ordered = [...blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
    const content = ordered.flatMap(finished);
    return answerOf(message, isWhole ? content : withoutEndOf(content, isThought), usage, isWhole);
  },
};

function answerOf(
  message: JsonObject,
  content: Json[],
  usage: Json | undefined,
  isWhole: boolean,
): Answer {
  const model = stringField(message, 'model');
  const item = {
    role: 'assistant',
    content,
    ...(model !== undefined && { model }),
    ...(isWhole && isJsonObject(usage) && { usage }),
  };
  return {
    id: stringField(message, 'id') ?? null,
    items: content.length === 0 ? [] : [item],
    isWhole,
  };
}

function add(own: Block, delta: JsonObject): void {
  const { block } = own;
  const append = (field: string) => {
    block[field] = (stringField(block, field) ?? '') + (stringField(delta, field) ?? '');
  };
  switch (delta.type) {
    case 'text_delta':
      append('text');
      break;
    case 'thinking_delta':
      append('thinking');
      break;
    case 'signature_delta':
      append('signature');
      break;
    case 'input_json_delta':
      own.json += stringField(delta, 'partial_json') ?? '';
      break;
    case 'citations_delta':
      if (delta.citation !== undefined) own.citations.push(delta.citation);
      block.citations = own.citations;
      break;
    case 'compaction_delta': {
      // All of the summary comes at once, null where there is none, and what is sealed of it beside it.
      const { type: _, ...whole } = delta;
      Object.assign(block, whole);
      break;
    }
    default:
  }
}

/** A call without all of its input, and thinking without its signature, cannot be sent again. */
function finished({ block, json, isDone }: Block): JsonObject[] {
  if (!isDone && block.type !== 'text') return [];
  if (block.type === 'text' && (stringField(block, 'text') ?? '') === '') return [];
  if (json === '') return [block];
  try {
    // JSON.parse yields exactly the values that Json names.
    return [{ ...block, input: JSON.parse(json) as Json }];
  } catch {
    return [];
  }
}

function isThought({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
