import { type JsonObject, objectsIn, stringField } from '../../json.ts';
import type { Item } from '../item.ts';

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
export function agentMessageToldAs(item: Item): string | undefined {
  return objectsIn(item.content).some(isToStay) ? 'message of an agent' : undefined;
}

function isToStay(part: JsonObject): boolean {
  return part.type === 'encrypted_content' || TASK.test(stringField(part, 'text') ?? '');
}
