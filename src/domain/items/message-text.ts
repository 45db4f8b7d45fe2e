import type { Message } from './item.ts';

/** What a message says in words, verbatim. */
export function messageText({ parts }: Message): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}
