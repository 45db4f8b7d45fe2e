import { objectsIn, stringField } from '../../json.ts';
import { AGENT_TASK, type Item } from '../item.ts';

/** How Codex begins what one of its agents is to do. */
const TASK = /^Message Type: NEW_TASK\n/;

/** Whether an item is what one agent of Codex says to another. */
export function isAgentMessage({ type }: Item): boolean {
  return type === 'agent_message';
}

/**
 * What such a message is where no summary can stand for it: a task, and whatever only the provider can read.
 * Undefined for reports.
 */
export function agentMessageToldAs({ content }: Item): string | undefined {
  const parts = objectsIn(content);
  if (parts.some((part) => TASK.test(stringField(part, 'text') ?? ''))) return AGENT_TASK;
  return parts.some(({ type }) => type === 'encrypted_content') ? 'message of an agent' : undefined;
}
