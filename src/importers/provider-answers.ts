import { answerReader } from '../domain/gateway/answers/readers.ts';
import { formatOf, type Protocol } from '../domain/gateway/protocol.ts';
import { type JsonObject, stringField } from '../domain/json.ts';
import {
  type Conversation,
  countOtherFields,
  entriesOf,
  type Importer,
  Tally,
} from './transcript.ts';

/** Answers of OpenAI's APIs as they came: what was asked stands in the requests, which they do not hold. */
const ANSWERS: Readonly<Record<string, { protocol: Protocol; field: string }>> = {
  response: { protocol: 'responses', field: 'output' },
  'chat.completion': { protocol: 'chat', field: 'choices' },
};

export const providerAnswers: Importer = {
  source: 'openai-answers',
  description:
    'answers of the OpenAI APIs (an array, JSON lines, or one "response" or "chat.completion")',
  matches: (content) => entriesOf(content).some((entry) => kindOf(entry) !== null),
  read: (content) => {
    const entries = entriesOf(content);
    const read = entries.flatMap((entry) => conversationOf(entry) ?? []);
    const others = entries.length - read.length;
    if (others > 0) read[0]?.skipped.add('record_without_answer', others);
    return read;
  },
};

function kindOf({ object }: JsonObject): (typeof ANSWERS)[string] | null {
  const name = typeof object === 'string' ? object : '';
  return Object.hasOwn(ANSWERS, name) ? (ANSWERS[name] ?? null) : null;
}

function conversationOf(answer: JsonObject): Conversation | null {
  const kind = kindOf(answer);
  if (kind === null) return null;
  const { protocol, field } = kind;
  const items = answerReader(protocol).ofBody(answer)?.items ?? [];
  const skipped = new Tally();
  countOtherFields(answer, field, skipped);
  if (items.length === 0) skipped.add(field);
  return {
    format: formatOf(protocol),
    model: stringField(answer, 'model') ?? null,
    items,
    skipped,
    notes: ['This is an answer alone: import the request that comes after it, which has both.'],
  };
}
