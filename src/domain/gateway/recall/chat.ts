import { hidden } from '../../items/hidden-rounds.ts';
import type { Item } from '../../items/item.ts';
import { isJsonObject, type Json, type JsonObject, objectsIn, stringField } from '../../json.ts';
import { inputOf } from './call-input.ts';
import { ChatSplice } from './chat-splice.ts';
import type { IsOwn, OwnCall, RecallProtocol, SplitAnswer } from './recall-protocol.ts';
import { usageOfRounds } from './usage.ts';

/** Recall inside OpenAI's Chat Completions API. */
export const chatRecall: RecallProtocol = {
  tool: (tool) => ({ type: 'function', function: tool }),
  // Of several choices no one knows which goes on; the old `functions` stand in place of tools.
  mayOffer: ({ n = 1, functions = null }) => (n === 1 || n === null) && functions === null,
  split,
  // Named, since Gemini refuses results that are not, and nobody refuses those that are.
  results: (answered) =>
    answered.map(({ call: { id, name }, found }) =>
      hidden({ role: 'tool', tool_call_id: id, name, content: found.text }),
    ),
  splice: (isOwn) => new ChatSplice(isOwn),
  waits: (body) => waitsFor(choiceOf(body)?.finish_reason),
  joined: (bodies, isOwn, note) => {
    const [first = {}] = bodies;
    const last = bodies.at(-1) ?? first;
    const choice = choiceOf(last) ?? {};
    const messages = bodies.map((body) => choiceOf(body)?.message).filter(isJsonObject);
    const { tool_calls: calls, ...message } = messages.at(-1) ?? {};
    const others = objectsIn(calls).filter((call) => !isOwnCall(call, isOwn));
    const words =
      messages.map((each) => stringField(each, 'content') ?? '').join('') + (note ?? '');
    const usages = bodies.map(({ usage }) => usage).filter(isJsonObject);
    const usage = usageOfRounds(usages, 'completion_tokens');
    const isForNobody = others.length === 0 && choice.finish_reason === 'tool_calls';
    const joined = {
      ...choice,
      message: {
        ...message,
        content: words === '' ? null : words,
        ...(others.length > 0 && { tool_calls: others }),
      },
      ...(isForNobody && { finish_reason: 'stop' }),
    };
    return {
      ...last,
      ...(first.id !== undefined && { id: first.id }),
      choices: [joined],
      ...(usage !== null && { usage }),
    };
  },
};

/** Whether an answer that ends so waits for results; not every server says `tool_calls`. */
function waitsFor(finish_reason: Json | undefined): boolean {
  return finish_reason === 'tool_calls' || finish_reason === 'stop';
}

function choiceOf({ choices }: JsonObject): JsonObject | undefined {
  return objectsIn(choices)[0];
}

/**
 * A message with no calls but ours is hidden as a whole: the client joins its words with those of the
 * next one. Beside calls of the client, ours stand in a message of their own behind it.
 */
function split(items: readonly Item[], isOwn: IsOwn): SplitAnswer {
  const own: OwnCall[] = [];
  let others = 0;
  const split = items.flatMap((item): Item[] => {
    const { tool_calls, usage, ...message } = item;
    const calls = objectsIn(tool_calls);
    const ours = calls.filter((call) => isOwnCall(call, isOwn));
    const theirs = calls.filter((call) => !isOwnCall(call, isOwn));
    others += theirs.length;
    if (ours.length === 0) return [item];
    own.push(...ours.map(callOf));
    if (theirs.length === 0) return [hidden(item)];
    const model = stringField(item, 'model');
    return [
      { ...message, tool_calls: theirs },
      hidden({
        role: 'assistant',
        content: null,
        tool_calls: ours,
        ...(model !== undefined && { model }),
        ...(usage !== undefined && { usage }),
      }),
    ];
  });
  return { items: split, own, others };
}

function isOwnCall(call: JsonObject, isOwn: IsOwn): boolean {
  return isJsonObject(call.function) && isOwn(stringField(call.function, 'name') ?? '');
}

function callOf(call: JsonObject): OwnCall {
  const { name, arguments: text } = isJsonObject(call.function) ? call.function : {};
  return {
    id: stringField(call, 'id') ?? '',
    name: typeof name === 'string' ? name : '',
    input: inputOf(text),
  };
}
