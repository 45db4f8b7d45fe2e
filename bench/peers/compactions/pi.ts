import {
  convertToLlm,
  DEFAULT_COMPACTION_SETTINGS,
  findCutPoint,
  SessionManager,
  serializeConversation,
} from '@mariozechner/pi-coding-agent';
import type { CompactionPeer } from '../peer.ts';
import { piMessage } from '../pi-messages.ts';

/** The steps of its compaction but the model's: cut, text for the model, entry, context. */
export const piCompaction: CompactionPeer = async (messages, { folder }) => {
  const session = SessionManager.create(folder, folder);
  for (const message of messages) session.appendMessage(piMessage(message));
  const entries = session.getBranch();
  const started = performance.now();
  const { keepRecentTokens } = DEFAULT_COMPACTION_SETTINGS;
  const cut = findCutPoint(entries, 0, entries.length, keepRecentTokens);
  const old = entries
    .slice(0, cut.firstKeptEntryIndex)
    .flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  const prompt = serializeConversation(convertToLlm(old));
  const firstKept = entries[cut.firstKeptEntryIndex];
  if (firstKept === undefined || prompt === '') throw new Error('there is nothing to compact');
  session.appendCompaction('Done so far: the tests pass.', firstKept.id, 200_000);
  const left = session.buildSessionContext().messages;
  return {
    milliseconds: performance.now() - started,
    characters: JSON.stringify(left.map((message) => ('content' in message ? message.content : '')))
      .length,
    messages: left.map((message) => ({
      calls:
        message.role === 'assistant'
          ? message.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []))
          : [],
      result: message.role === 'toolResult' ? message.toolCallId : null,
    })),
  };
};
