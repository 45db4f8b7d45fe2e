import { createHash } from 'node:crypto';
import type { Protocol } from '../../../src/domain/gateway/protocol.ts';
import { isJsonObject, type JsonObject } from '../../../src/domain/json.ts';

/**
 * What the scripted model has thought, and what must become of it: a provider takes thinking back only as
 * it has given it, and in the turn under way it must not be missing.
 */

/** Signs, or encrypts, a thought: nobody else can make one that passes. */
export function sealOf(thought: string): string {
  return `seal_${createHash('sha256').update(`provider ${thought}`).digest('base64url')}`;
}

/** Whether the client wants to see what the model thinks. */
export function wantsThoughts(protocol: Protocol, body: JsonObject): boolean {
  switch (protocol) {
    case 'messages':
      return isJsonObject(body.thinking) && body.thinking.type !== 'disabled';
    case 'responses':
      return isJsonObject(body.reasoning) || body.include !== undefined;
    case 'chat':
      return false;
    default:
      return protocol satisfies never;
  }
}

/** Thoughts that were changed, and those of the turn under way that are missing. */
export class Thoughts {
  /** The thought before a call, by the id of the call; of the Responses API also before a message. */
  readonly #before = new Map<string, string>();

  noteAnswer(thought: string, calls: readonly { id: string }[], message_id: string): void {
    for (const id of [message_id, ...calls.map((call) => call.id)]) this.#before.set(id, thought);
  }

  problems(protocol: Protocol, history: readonly JsonObject[]): string[] {
    switch (protocol) {
      case 'messages':
        return this.#ofMessages(history);
      case 'responses':
        return this.#ofResponses(history);
      case 'chat':
        return [];
      default:
        return protocol satisfies never;
    }
  }

  #ofMessages(history: readonly JsonObject[]): string[] {
    const assistants = history.filter(({ role }) => role === 'assistant').map(blocksOf);
    const changed = assistants.flat().flatMap((block) => {
      if (block.type !== 'thinking') return [];
      const isIntact = block.signature === sealOf(String(block.thinking));
      return isIntact ? [] : [`a thinking block was changed: ${String(block.thinking)}`];
    });
    const last = assistants.at(-1) ?? [];
    const isOpen = history.at(-1)?.role === 'user' && blocksOf(history.at(-1)).some(isResult);
    const missing = last.flatMap(({ type, id }) => {
      const thought = type === 'tool_use' ? this.#before.get(String(id)) : undefined;
      const isThere = last.some((block) => block.thinking === thought);
      return thought === undefined || !isOpen || isThere
        ? []
        : [`the thinking before the call ${String(id)} is missing`];
    });
    return [...changed, ...missing];
  }

  #ofResponses(history: readonly JsonObject[]): string[] {
    return history.flatMap((item, index) => {
      if (item.type === 'reasoning' && typeof item.encrypted_content === 'string') {
        const thought = summaryOf(item);
        if (item.encrypted_content !== sealOf(thought))
          return [`reasoning was changed: ${thought}`];
      }
      if (!/^(?:fc|msg)_/.test(String(item.id ?? ''))) return [];
      const thought = this.#before.get(String(item.call_id ?? item.id));
      if (thought === undefined) return [];
      // In between stand what the model has said beside, and other calls of the same answer.
      const before = history.slice(0, index).findLast(({ type }) => type === 'reasoning');
      return before !== undefined && summaryOf(before) === thought
        ? []
        : [`${String(item.id)} has the id of its answer, and its reasoning is missing`];
    });
  }
}

function blocksOf(message: JsonObject | undefined): JsonObject[] {
  const content = message?.content;
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

function isResult({ type }: JsonObject): boolean {
  return type === 'tool_result';
}

function summaryOf({ summary }: JsonObject): string {
  const parts = Array.isArray(summary) ? summary.filter(isJsonObject) : [];
  return parts.map(({ text }) => String(text)).join('');
}
