import { hidden } from '../../items/hidden-rounds.ts';
import type { Item } from '../../items/item.ts';
import { answeredId, calledId } from '../../items/openai-responses/tools.ts';
import { stringField } from '../../json.ts';
import { inputOf } from './call-input.ts';
import type { IsOwn, OwnCall, RecallProtocol, SplitAnswer } from './recall-protocol.ts';
import { isOwnCall, joinedResponse, noteItem, shownOutput } from './responses-output.ts';
import { ResponsesSplice } from './responses-splice.ts';

/** Recall inside OpenAI's Responses API. */
export const responsesRecall: RecallProtocol = {
  // Strict schemas have no optional fields, and are what the API takes where nothing is said.
  tool: (tool) => ({ type: 'function', ...tool, strict: false }),
  // What is worked on in the background is fetched elsewhere.
  mayOffer: ({ background = null }) => background !== true,
  split,
  results: (answered) =>
    answered.map(({ call, found }) =>
      hidden({ type: 'function_call_output', call_id: call.id, output: found.text }),
    ),
  splice: (isOwn) => new ResponsesSplice(isOwn),
  waits: ({ status }) => status === 'completed',
  joined: (bodies, isOwn, note) => {
    const said = bodies.flatMap(({ output }) => shownOutput(output, isOwn));
    return joinedResponse(bodies, note === null ? said : [...said, noteItem(note)]);
  },
};

function split(items: readonly Item[], isOwn: IsOwn): SplitAnswer {
  const own: OwnCall[] = [];
  let others = 0;
  // A shell that the provider hosts is called as one of the client is, and answered at once.
  const answered = new Set(items.map(answeredId));
  const marked = items.map((item) => {
    if (isOwnCall(item, isOwn)) {
      own.push({
        id: stringField(item, 'call_id') ?? '',
        name: stringField(item, 'name') ?? '',
        input: inputOf(item.arguments),
      });
      return hidden(item);
    }
    const id = calledId(item);
    if (id !== undefined && !answered.has(id)) others += 1;
    return item;
  });
  return { items: marked, own, others };
}
