import fc from 'fast-check';
import type { Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import type { Json } from '../../src/domain/json.ts';
import { asSdkResponse, noticeItem, serverToolItems, systemItem } from './generated-extras.ts';
import {
  type AnswerPlan,
  answerItems,
  assistantItems,
  type CallPlan,
  type PlacedCall,
  resultItems,
  userMessage,
} from './generated-items.ts';

/** One answer of the model: what it says, and the tools that it calls at once. */
type RoundPlan = { thinking: boolean; text: string; calls: CallPlan[]; usage: number };
type TurnPlan = { ask: string; withImage: boolean; rounds: RoundPlan[]; answer: string };
type ConversationPlan = {
  turns: TurnPlan[];
  /** The last turn ends with calls that have no result yet. */
  endsOpen: boolean;
  /** One assistant message arrives as several items, with results in between (Anthropic). */
  inPieces: boolean;
};

const TOOL_NAMES = ['Bash', 'Read', 'grep', 'container.exec', 'mcp__repo__find'];

const wordsArbitrary = fc.oneof(
  fc.lorem({ maxCount: 6 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((text) => `x${text}`),
  fc.constantFrom('日本語のテキスト', '👩‍👩‍👧 done', 'a\nb\n\nc', 'src/a.ts:12 error TS2322'),
);

const answerArbitrary: fc.Arbitrary<AnswerPlan> = fc.record({
  text: wordsArbitrary,
  shape: fc.constantFrom('string', 'parts', 'image'),
  isError: fc.boolean(),
});

const callArbitrary: fc.Arbitrary<CallPlan> = fc.record({
  name: fc.constantFrom(...TOOL_NAMES),
  input: fc.dictionary(fc.constantFrom('path', 'command', 'n'), wordsArbitrary, { maxKeys: 2 }),
  answer: answerArbitrary,
});

const roundArbitrary: fc.Arbitrary<RoundPlan> = fc.record({
  thinking: fc.boolean(),
  text: fc.oneof(fc.constant(''), wordsArbitrary),
  calls: fc.array(callArbitrary, { minLength: 1, maxLength: 3 }),
  usage: fc.nat({ max: 5000 }),
});

const turnArbitrary: fc.Arbitrary<TurnPlan> = fc.record({
  ask: wordsArbitrary,
  withImage: fc.boolean(),
  rounds: fc.array(roundArbitrary, { maxLength: 3 }),
  answer: wordsArbitrary,
});

function planArbitrary(inPieces: fc.Arbitrary<boolean>): fc.Arbitrary<ConversationPlan> {
  return fc.record({
    turns: fc.array(turnArbitrary, { minLength: 1, maxLength: 4 }),
    endsOpen: fc.boolean(),
    inPieces,
  });
}

/**
 * Conversations that need no repair: parallel calls, images, unicode, unknown fields and usage, and
 * perhaps open calls at the end. No control items. Every text holds a marker `#n#` of its own.
 */
export function wellFormedArbitrary(format: Format): fc.Arbitrary<Item[]> {
  return planArbitrary(fc.constant(false)).map((plan) => buildConversation(format, plan));
}

/**
 * Histories as clients really post them: well-formed conversations, with control items among them
 * and then damaged: items lost, sent twice, out of order, empty, call ids used again, messages
 * between a call and its result, results without call, answers as an SDK gives them, system messages
 * anywhere, tools that the provider ran, notices of programs in the user's place.
 */
export function historyArbitrary(format: Format): fc.Arbitrary<Item[]> {
  const plans = planArbitrary(fc.boolean());
  return fc
    .tuple(plans, fc.array(damageArbitrary, { maxLength: 8 }))
    .map(([plan, damages]) =>
      damages.reduce(
        (items, damage, index) => applyDamage(format, items, damage, index),
        buildConversation(format, plan),
      ),
    );
}

/** The markers of an item or a list: what tells its texts from all others. */
export function markersOf(json: Json): Set<string> {
  return new Set(JSON.stringify(json).match(/#\d+#/g) ?? []);
}

type Damage = {
  kind:
    | 'lose'
    | 'repeat'
    | 'swap'
    | 'move'
    | 'control'
    | 'empty'
    | 'interject'
    | 'orphan'
    | 'reuse'
    | 'sdk'
    | 'system'
    | 'server-tool'
    | 'notice';
  at: number;
  to: number;
};

const damageArbitrary: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom<Damage['kind'][]>(
    'lose',
    'repeat',
    'swap',
    'move',
    'control',
    'empty',
    'interject',
    'orphan',
    'reuse',
    'sdk',
    'system',
    'server-tool',
    'notice',
  ),
  at: fc.nat({ max: 60 }),
  to: fc.nat({ max: 60 }),
});

function applyDamage(format: Format, items: Item[], damage: Damage, index: number): Item[] {
  const at = damage.at % (items.length + 1);
  const to = damage.to % (items.length + 1);
  const item = items[at];
  const insert = (...added: Item[]) => items.toSpliced(at, 0, ...added);
  switch (damage.kind) {
    case 'lose':
      return items.toSpliced(at, 1);
    case 'repeat':
      return item === undefined ? items : insert(item);
    case 'swap':
      return item === undefined ? items : items.toSpliced(at, 1).toSpliced(at + 1, 0, item);
    case 'move':
      return item === undefined ? items : items.toSpliced(at, 1).toSpliced(to, 0, item);
    case 'control':
      return insert(controlItem(damage.to, index));
    case 'empty':
      return insert(emptyMessage(format, damage.to));
    case 'interject':
      return insert(userMessage(format, `by the way #${9000 + index}#`, false));
    case 'orphan':
      return insert(...resultItems(format, [{ id: `gone_${index}`, call: orphanCall(index) }]));
    case 'reuse':
      return items.map((other, position) => (position >= at ? withIdsUsedAgain(other) : other));
    case 'sdk':
      return items.map((other, position) =>
        position >= at ? asSdkResponse(format, other) : other,
      );
    case 'system':
      return insert(systemItem(format, damage.to, `policy #${6000 + index}#`));
    case 'server-tool':
      return insert(...serverToolItems(format, damage.to, `search #${5000 + index}#`));
    case 'notice':
      return insert(noticeItem(format, damage.to, `notice #${4000 + index}#`));
    default:
      return damage.kind satisfies never;
  }
}

function orphanCall(index: number): CallPlan {
  const text = `orphan #${8000 + index}#`;
  return { name: 'Read', input: {}, answer: { text, shape: 'string', isError: false } };
}

function controlItem(choice: number, index: number): Item {
  const text = `control #${7000 + index}#`;
  const items: Item[] = [
    { type: 'attachment', attachment: { kind: 'file', path: 'src/a.ts', content: text } },
    { type: 'attachment', attachment: { kind: 'todo', todos: [{ content: text, done: false }] } },
    { type: 'attachment', attachment: { kind: 'plan', content: '' } },
    { type: 'attachment', attachment: { kind: 'memory', content: text } },
    { type: 'progress', tool_use_id: 'call_1', percent: 40 },
    { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' },
    { type: 'ghost_snapshot', ghost_commit: { id: 'abc' } },
  ];
  return items[choice % items.length] ?? {};
}

function emptyMessage(format: Format, choice: number): Item {
  const role = choice % 2 === 0 ? 'user' : 'assistant';
  const textType = role === 'user' ? 'input_text' : 'output_text';
  const type = format === 'openai-responses' ? textType : 'text';
  const content: Json[] = ['', [], [{ type, text: '' }]];
  return { role, content: content[choice % content.length] ?? '' };
}

/** The ids of calls and results become those of the first call, as if the client counted anew. */
function withIdsUsedAgain(item: Item): Item {
  // The text of an item is JSON and the ids hold no character that JSON escapes.
  return JSON.parse(JSON.stringify(item).replace(/"call_\d+"/g, '"call_1"')) as Item;
}

function buildConversation(format: Format, plan: ConversationPlan): Item[] {
  let marker = 0;
  let calls = 0;
  const mark = (text: string) => `${text} #${++marker}#`;
  const markCall = (call: CallPlan): CallPlan => ({
    ...call,
    input: { ...call.input, why: mark('because') },
    answer: { ...call.answer, text: mark(call.answer.text) },
  });
  const items: Item[] = [];
  for (const [index, turn] of plan.turns.entries()) {
    items.push(userMessage(format, mark(turn.ask), turn.withImage));
    for (const [at, round] of turn.rounds.entries()) {
      const placed = round.calls.map((call) => ({ id: `call_${++calls}`, call: markCall(call) }));
      const isLast = index === plan.turns.length - 1 && at === turn.rounds.length - 1;
      const text = round.text === '' ? '' : mark(round.text);
      const thinking = round.thinking ? mark('thinking') : '';
      const pieces = assistantItems(format, { ...round, text, thinking, placed }, `msg_${calls}`);
      const answered = plan.endsOpen && isLast ? placed.slice(1) : placed;
      if (format === 'anthropic' && plan.inPieces) items.push(...inPieces(pieces, answered));
      else items.push(...pieces, ...resultItems(format, answered));
      if (plan.endsOpen && isLast) return items;
    }
    items.push(...answerItems(format, mark(turn.answer)));
  }
  return items;
}

/** Each block an item of its own, each result after its call where the client had it at once. */
function inPieces(messages: Item[], answered: PlacedCall[]): Item[] {
  return messages.flatMap((message) => {
    const blocks = Array.isArray(message.content) ? message.content : [];
    return blocks.flatMap((block) => {
      const piece: Item = { ...message, content: [block] };
      const own = answered.filter(({ id }) => JSON.stringify(block).includes(`"${id}"`));
      return own.length === 0 ? [piece] : [piece, ...resultItems('anthropic', own)];
    });
  });
}
