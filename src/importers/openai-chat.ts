import { isJsonObject, type JsonObject, stringField } from '../domain/json.ts';
import { CHAT_ROLES, ChatReader } from './chat-message.ts';
import { isOfConverse } from './foreign-transcripts.ts';
import {
  type Content,
  type Conversation,
  countOtherFields,
  entriesOf,
  type Importer,
  objectField,
  objectsField,
} from './transcript.ts';

/**
 * Chat messages: an array or JSON lines of them (one conversation), or records that hold `messages`,
 * `traj` or `history` (one conversation each: API request bodies, mini-swe-agent, tau-bench, and
 * tau2-bench, which collects its records in `simulations`).
 */
export const openaiChat: Importer = {
  source: 'openai-chat',
  description:
    'OpenAI chat messages (an array, JSON lines, or records with "messages", "traj" or "history", ' +
    'as mini-swe-agent, tau-bench and tau2-bench write them)',
  matches: (content) => {
    const entries = recordsIn(content);
    return areMessages(entries) || entries.some((entry) => messagesKey(entry) !== undefined);
  },
  read: (content) => {
    const entries = recordsIn(content);
    return areMessages(entries) ? [readMessages(entries)] : readRecords(entries);
  },
};

function recordsIn(content: Content): JsonObject[] {
  return entriesOf(content).flatMap((entry) => objectsField(entry, 'simulations') ?? [entry]);
}

/** Of a log of other events, some with a role, only a few lines would be read, and the rest lost. */
function areMessages(entries: readonly JsonObject[]): boolean {
  return isOfChat(entries.filter(isMessage));
}

/** Where nobody known answers, the answers are what would be lost. */
function isOfChat(messages: readonly JsonObject[]): boolean {
  const known = messages.filter(({ role }) => CHAT_ROLES.has(String(role)));
  if (known.length === messages.length) return known.length > 0;
  return 2 * known.length >= messages.length && known.some(({ role }) => role === 'assistant');
}

function isMessage(entry: JsonObject): boolean {
  const { content } = entry;
  // What says nothing tells no API from another.
  const isEmpty = Array.isArray(content) && content.length === 0;
  const isSaid = ('content' in entry && !isEmpty) || 'tool_calls' in entry;
  return typeof entry.role === 'string' && isSaid && !isOfConverse(entry);
}

function messagesKey(record: JsonObject): 'messages' | 'traj' | 'history' | undefined {
  return (['messages', 'traj', 'history'] as const).find((key) =>
    areMessages(objectsField(record, key) ?? []),
  );
}

function readMessages(messages: JsonObject[]): Conversation {
  const reader = new ChatReader();
  for (const message of messages) reader.add(message);
  return reader.conversation();
}

function readRecords(records: JsonObject[]): Conversation[] {
  const conversations: Conversation[] = [];
  let others = 0;
  for (const record of records) {
    const key = messagesKey(record);
    if (key === undefined) {
      others += 1;
      continue;
    }
    const reader = new ChatReader();
    for (const message of objectsField(record, key) ?? []) reader.add(message);
    countOtherFields(record, key, reader.skipped);
    reader.model ??= recordedModel(record);
    conversations.push(reader.conversation());
  }
  if (others > 0) conversations[0]?.skipped.add('record_without_messages', others);
  return conversations;
}

/** `model` as in a request body, or where mini-swe-agent keeps its configuration. */
function recordedModel(record: JsonObject): string | null {
  const config = objectField(objectField(record, 'info'), 'config');
  const configured = isJsonObject(config.model) ? stringField(config.model, 'model_name') : null;
  return stringField(record, 'model') ?? configured ?? null;
}
