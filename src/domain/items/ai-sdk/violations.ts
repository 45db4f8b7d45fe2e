import { objectsIn } from '../../json.ts';
import { CONTROL_TYPES, type Item, OWN_MESSAGE_FIELDS } from '../item.ts';

// Stands by itself: it shares nothing with the renderer that it checks.

const ROLES = ['system', 'user', 'assistant', 'tool'];

/** The rules of the AI SDK's model messages that a rendered context breaks, see `Codec.violations`. */
export function aiSdkViolations(rendered: readonly Item[]): string[] {
  const found: string[] = [];
  /** Calls of the assistant message whose results may follow now. */
  let waiting = new Set<string>();
  for (const [index, message] of rendered.entries()) {
    const say = (text: string) => found.push(`message ${index}: ${text}`);
    checkMessage(message, say);
    if (message.role === 'tool') {
      for (const part of objectsIn(message.content)) {
        if (part.type !== 'tool-result') continue;
        const id = String(part.toolCallId);
        if (!waiting.delete(id)) say(`the result of ${id} does not follow its call`);
        if (typeof part.toolName !== 'string') say(`the result of ${id} names no tool`);
      }
      continue;
    }
    for (const id of waiting) say(`the call ${id} before it has no result`);
    waiting = callsIn(message, say);
  }
  return found;
}

type Say = (text: string) => void;

function checkMessage(message: Item, say: Say): void {
  const { content, role } = message;
  if (CONTROL_TYPES.some((type) => type === message.type)) say('a control item reached the model');
  for (const field of [...OWN_MESSAGE_FIELDS, 'id']) {
    if (field in message) say(`the field "${field}" is not of the format`);
  }
  if (!ROLES.some((known) => known === role)) say('the role is unknown');
  if (role === 'system' && typeof content !== 'string') say('a system message takes a text only');
  if (role === 'tool' && typeof content === 'string') say('a message of tools takes parts only');
  const parts = objectsIn(content);
  if (parts.some((part) => part.type === 'text' && part.text === '')) say('a text part is empty');
  if (typeof content === 'string' ? content === '' : parts.length === 0)
    say('the content is empty');
}

function callsIn(message: Item, say: Say): Set<string> {
  const ids = new Set<string>();
  for (const part of objectsIn(message.content)) {
    if (part.type !== 'tool-call' || part.providerExecuted === true) continue;
    const id = String(part.toolCallId);
    if (ids.has(id)) say(`the call id ${id} occurs twice`);
    ids.add(id);
    if (message.role !== 'assistant') say('only an assistant calls tools');
  }
  return ids;
}
