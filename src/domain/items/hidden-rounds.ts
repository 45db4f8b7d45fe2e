import { objectsIn } from '../json.ts';
import type { Format } from './codecs.ts';
import type { Item } from './item.ts';

/*
 * A round between the model and the service that the client never sees: a call of a tool of ours, made
 * and answered inside of the gateway (SPEC 2, section 23). Its items stand in the log, and in every later
 * context; the client's own telling of the conversation lacks them.
 */

export function isHidden(item: Item): boolean {
  return item.is_hidden_from_client === true;
}

export function hidden(item: Item): Item {
  return { ...item, is_hidden_from_client: true };
}

/**
 * The items as the client tells them. Where a format writes an answer as one message, the client has
 * joined the words before a hidden round with those behind it.
 */
export class ClientTelling {
  readonly #joins: boolean;
  /** Words of hidden messages that the client has seen. */
  #before = '';

  constructor(format: Format) {
    this.#joins = format === 'openai-chat';
  }

  /** Null for what the client does not have. */
  told(item: Item): Item | null {
    if (isHidden(item)) {
      if (this.#joins && item.role === 'assistant') this.#before += wordsOf(item);
      return null;
    }
    const before = this.#before;
    this.#before = '';
    if (before === '' || item.role !== 'assistant') return item;
    return { ...item, content: before + wordsOf(item) };
  }

  /** A hidden item without the words that are told with a later one: nowhere else does the client say them. */
  beside(item: Item): Item {
    return this.#joins && item.role === 'assistant' ? { ...item, content: null } : item;
  }
}

function wordsOf({ content }: Item): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}
