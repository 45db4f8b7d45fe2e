import type { Protocol } from '../protocol.ts';
import { chatRecall } from './chat.ts';
import { messagesRecall } from './messages.ts';
import type { RecallProtocol } from './recall-protocol.ts';
import { responsesRecall } from './responses.ts';

const PROTOCOLS: Readonly<Record<Protocol, RecallProtocol>> = {
  messages: messagesRecall,
  chat: chatRecall,
  responses: responsesRecall,
};

export function recallProtocol(protocol: Protocol): RecallProtocol {
  return PROTOCOLS[protocol];
}
