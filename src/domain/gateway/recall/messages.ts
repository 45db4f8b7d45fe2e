import { hidden } from '../../items/hidden-rounds.ts';
import type { Item } from '../../items/item.ts';
import { isJsonObject, type Json, type JsonObject, objectsIn, stringField } from '../../json.ts';
import { MessagesSplice } from './messages-splice.ts';
import type { IsOwn, OwnCall, RecallProtocol, SplitAnswer } from './recall-protocol.ts';
import { usageOfRounds } from './usage.ts';

/** Recall inside Anthropic's Messages API. */
export const messagesRecall: RecallProtocol = {
  tool: ({ name, description, parameters }) => ({ name, description, input_schema: parameters }),
  mayOffer: () => true,
  split,
  results: (answered) => [
    hidden({
      role: 'user',
      content: answered.map(({ call, found }) => ({
        type: 'tool_result',
        tool_use_id: call.id,
        content: found.text,
        ...(found.is_error && { is_error: true }),
      })),
    }),
  ],
  splice: (isOwn) => new MessagesSplice(isOwn),
  waits: ({ stop_reason }) => stop_reason === 'tool_use',
  joined: (bodies, isOwn, note) => {
    const [first = {}] = bodies;
    const last = bodies.at(-1) ?? first;
    const said = bodies.flatMap(({ content }) =>
      objectsIn(content).filter((block) => !isOwnCall(block, isOwn)),
    );
    const content = note === null ? said : [...said, { type: 'text', text: note }];
    const usages = bodies.map(({ usage }) => usage).filter(isJsonObject);
    const usage = usageOfRounds(usages, 'output_tokens');
    return {
      ...last,
      ...(first.id !== undefined && { id: first.id }),
      content,
      ...(last.stop_reason === 'tool_use' &&
        !objectsIn(last.content).some((block) => isClientCall(block, isOwn)) && {
          stop_reason: 'end_turn',
        }),
      ...(usage !== null && { usage }),
    };
  },
};

/** The blocks in their order, each run of calls of ours, and of all else, in a message of its own. */
function split(items: readonly Item[], isOwn: IsOwn): SplitAnswer {
  const own: OwnCall[] = [];
  let others = 0;
  const runs = items.flatMap((item): Item[] => {
    const { content, usage, ...rest } = item;
    const messages: { isOwn: boolean; content: JsonObject[] }[] = [];
    for (const block of objectsIn(content)) {
      const isOurs = isOwnCall(block, isOwn);
      if (isOurs) own.push(callOf(block));
      else if (block.type === 'tool_use') others += 1;
      const run = messages.at(-1);
      if (run?.isOwn === isOurs) run.content.push(block);
      else messages.push({ isOwn: isOurs, content: [block] });
    }
    return messages.map((run, index) => {
      const isLast = index === messages.length - 1;
      const message = {
        ...rest,
        content: run.content,
        ...(isLast && usage !== undefined && { usage }),
      };
      return run.isOwn ? hidden(message) : message;
    });
  });
  return { items: runs, own, others };
}

function isOwnCall(block: JsonObject, isOwn: IsOwn): boolean {
  return block.type === 'tool_use' && isOwn(stringField(block, 'name') ?? '');
}

function isClientCall(block: JsonObject, isOwn: IsOwn): boolean {
  return block.type === 'tool_use' && !isOwnCall(block, isOwn);
}

function callOf({ id, name, input }: JsonObject): OwnCall {
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : '');
  return { id: text(id), name: text(name), input: input ?? {} };
}
