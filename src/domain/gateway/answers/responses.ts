import type { Item } from '../../items/item.ts';
import { isJsonObject, type JsonObject, objectsIn, stringField } from '../../json.ts';
import { type Answer, type AnswerReader, withoutEndOf } from './answer.ts';

/** Answers of the Responses API. */
export const responsesAnswer: AnswerReader = {
  ofBody: (body) =>
    body.object === 'response' ? answerOf(body, objectsIn(body.output), isEnded(body)) : null,
  ofEvents: (events) => {
    const done = new Map<number, Item>();
    let response: JsonObject = {};
    let partial: { id: string; text: string } | null = null;
    let isWhole = false;
    for (const event of events) {
      if (isJsonObject(event.response)) response = event.response;
      switch (event.type) {
        case 'response.output_item.done':
          partial = null;
          if (isJsonObject(event.item)) done.set(placeOf(event, done.size), event.item);
          break;
        case 'response.output_text.delta': {
          const id = stringField(event, 'item_id') ?? '';
          const before: string = partial?.id === id ? partial.text : '';
          partial = { id, text: before + (stringField(event, 'delta') ?? '') };
          break;
        }
        case 'response.completed':
        case 'response.incomplete':
          isWhole = true;
          break;
        default:
      }
    }
    const items = [...done].sort(([a], [b]) => a - b).map(([, item]) => item);
    if (isWhole)
      return answerOf(response, items.length > 0 ? items : objectsIn(response.output), true);
    return answerOf(response, withoutEndOf([...items, ...cutOff(partial)], isReasoning), false);
  },
};

function placeOf({ output_index: index }: JsonObject, next: number): number {
  return typeof index === 'number' ? index : next;
}

function isReasoning({ type }: Item): boolean {
  return type === 'reasoning';
}

function isEnded({ status }: JsonObject): boolean {
  return status === undefined || status === 'completed' || status === 'incomplete';
}

/** The text that had come when the answer broke off. */
function cutOff(partial: { id: string; text: string } | null): Item[] {
  if (partial === null || partial.text === '') return [];
  const content = [{ type: 'output_text', text: partial.text, annotations: [] }];
  return [{ type: 'message', role: 'assistant', status: 'incomplete', content }];
}

/** The usage is that of all items together: the last one bears it. */
function answerOf(response: JsonObject, output: readonly Item[], isWhole: boolean): Answer {
  const { usage } = response;
  const items = output.map((item, index) =>
    isWhole && index === output.length - 1 && isJsonObject(usage) ? { ...item, usage } : item,
  );
  // Its provider works on in the background, and the client fetches the rest elsewhere: what goes on from
  // that answer goes on from more than what has come.
  const isElsewhere = response.background === true && !isWhole;
  return { id: isElsewhere ? null : (stringField(response, 'id') ?? null), items, isWhole };
}
