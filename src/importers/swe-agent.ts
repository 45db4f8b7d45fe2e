import type { JsonObject } from '../domain/json.ts';
import { ChatReader } from './chat-message.ts';
import { type Content, countOtherFields, type Importer, objectsField } from './transcript.ts';

/**
 * Trajectories of SWE-agent: `history` holds what the model saw, demonstrations included;
 * `trajectory` holds the same steps once more and is only counted.
 */
export const sweAgent: Importer = {
  source: 'swe-agent',
  description: 'SWE-agent trajectory (a JSON object with "history" and "trajectory")',
  matches: (content) => historyOf(content) !== undefined,
  read: (content) => {
    const found = historyOf(content);
    if (!found) return [];
    const reader = new ChatReader();
    let isRunning = false;
    for (const message of found.history) {
      reader.add(withSpeaker(message, isRunning));
      isRunning ||= message.role === 'assistant' && message.is_demo !== true;
    }
    countOtherFields(found.document, 'history', reader.skipped);
    return [reader.conversation()];
  },
};

/** Demonstrations are the program's; once the agent is at work, nobody but its shell answers it. */
function withSpeaker(message: JsonObject, isRunning: boolean): JsonObject {
  if (message.role !== 'user') return message;
  if (message.is_demo === true) return { ...message, speaker: 'program' };
  return isRunning ? { ...message, speaker: 'tool' } : message;
}

function historyOf(content: Content): { document: JsonObject; history: JsonObject[] } | undefined {
  if (content.kind !== 'document' || Array.isArray(content.value)) return undefined;
  const history = objectsField(content.value, 'history');
  // Many a program calls its chat so, in which the user goes on after the first answer.
  const isOwn =
    'trajectory' in content.value || history?.some(({ agent }) => typeof agent === 'string');
  return isOwn && history?.some((message) => typeof message.role === 'string')
    ? { document: content.value, history }
    : undefined;
}
