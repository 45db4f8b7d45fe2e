import { codecFor, type Format } from '../../src/domain/items/codecs.ts';
import type { Item, Part } from '../../src/domain/items/item.ts';
import type { Json, JsonObject } from '../../src/domain/json.ts';

/** Writes the same conversation in each wire format. */
export class Speaker {
  readonly format: Format;

  constructor(format: Format) {
    this.format = format;
  }

  user(text: string): Item {
    return codecFor(this.format).message('user', text);
  }

  assistant(text: string, fields: Item = {}): Item {
    return codecFor(this.format).message('assistant', text, fields);
  }

  call(id: string, name: string, input: JsonObject): Item[] {
    return this.#encode('assistant', { kind: 'tool_call', id, name, input, source: null });
  }

  result(id: string, text: string): Item[] {
    const content = [{ kind: 'text' as const, text }];
    return this.#encode('user', { kind: 'tool_result', call_id: id, content, is_error: false });
  }

  /** A call and the result that answers it. */
  toolRound(id: string, name: string, input: JsonObject, answer: string): Item[] {
    return [...this.call(id, name, input), ...this.result(id, answer)];
  }

  /** An assistant message with the figures that its provider reported, `tokens` in all. */
  assistantWithUsage(text: string, tokens: number): Item {
    const usage: Json =
      this.format === 'openai-chat'
        ? { prompt_tokens: tokens - 10, completion_tokens: 10, total_tokens: tokens }
        : { input_tokens: tokens - 10, output_tokens: 10 };
    return this.assistant(text, { usage });
  }

  #encode(role: 'user' | 'assistant', part: Part): Item[] {
    return codecFor(this.format).encode({
      kind: 'message',
      role,
      parts: [part],
      is_meta: false,
      is_compact_summary: false,
      is_api_error_message: false,
    });
  }
}

/** A text of about this many tokens by the estimate (4 bytes each), different for every label. */
export function textOf(label: string, tokens: number): string {
  const line = `${label} src/${label}/module.ts handles part of the work. `;
  return line.repeat(Math.ceil((tokens * 4) / line.length)).slice(0, tokens * 4);
}

/** Turns of a user and an assistant, each message of about `tokens` tokens, labelled `label0` … */
export function turns(speaker: Speaker, label: string, count: number, tokens: number): Item[] {
  return Array.from({ length: count }, (_, index) => [
    speaker.user(textOf(`${label}${index}u`, tokens)),
    speaker.assistant(textOf(`${label}${index}a`, tokens)),
  ]).flat();
}
