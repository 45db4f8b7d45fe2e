import type { Message, ToolResult } from './item.ts';

/** What a message says in words, verbatim. */
export function messageText({ parts }: Message): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

/** What a result says in words, verbatim; a line stays empty where it holds something else. */
export function resultText({ content }: Pick<ToolResult, 'content'>): string {
  return content.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
}
