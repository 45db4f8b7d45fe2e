import type { Protocol } from '../protocol.ts';
import type { AnswerReader } from './answer.ts';
import { chatAnswer } from './chat.ts';
import { messagesAnswer } from './messages.ts';
import { responsesAnswer } from './responses.ts';

const READERS: Readonly<Record<Protocol, AnswerReader>> = {
  messages: messagesAnswer,
  chat: chatAnswer,
  responses: responsesAnswer,
};

export function answerReader(protocol: Protocol): AnswerReader {
  return READERS[protocol];
}
