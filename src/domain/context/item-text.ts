import { resultPartText } from '../items/convert.ts';
import type { Message, Normalised, Part } from '../items/item.ts';
import { headingOf, underHeading } from './under-heading.ts';

/** What an item says, and what it is in a few words. */
type ItemText = { what: string; text: string };

/**
 * An item as text, word for word as it may stand under a heading; what is no text as a note. Its parts
 * stand under headings of their own where there are several.
 */
export function itemText(item: Normalised): ItemText {
  switch (item.kind) {
    case 'message':
      return messageText(item);
    case 'attachment':
      return {
        what: 'attachment',
        text: underHeading([item.path, item.text].filter(Boolean).join('\n')),
      };
    case 'system':
      return { what: 'system message', text: underHeading(item.content) };
    case 'progress':
    case 'ghost_snapshot':
      return { what: item.kind.replace('_', ' '), text: '' };
    default:
      return item satisfies never;
  }
}

function messageText({ role, parts, is_compact_summary }: Message): ItemText {
  const what = is_compact_summary
    ? 'summary'
    : `message of ${role === 'system' ? 'the system' : `the ${role}`}`;
  const told = parts.map(partText).map((part) => ({ ...part, text: underHeading(part.text) }));
  const [only, ...others] = told;
  if (only !== undefined && others.length === 0)
    return { what: only.what ?? what, text: only.text };
  const text = told.map((part, index) => {
    // Behind a result nobody could tell where the words of the message begin.
    const isBehind = (told[index - 1]?.what ?? null) !== null;
    const heading = part.what ?? (isBehind ? 'text' : null);
    return heading === null ? part.text : `${headingOf([heading])}\n${part.text}`;
  });
  return { what, text: text.join('\n') };
}

function partText(part: Part): { what: string | null; text: string } {
  switch (part.kind) {
    case 'text':
      return { what: null, text: part.text };
    case 'thinking':
      return { what: 'reasoning', text: part.text };
    case 'tool_call':
      return { what: `call ${part.id} of ${part.name}`, text: inputText(part.input) };
    case 'tool_result':
      return {
        what: `result of ${part.call_id}`,
        text: part.content.map(resultPartText).join('\n'),
      };
    case 'image':
    case 'opaque':
      return { what: null, text: resultPartText(part) };
    default:
      return part satisfies never;
  }
}

function inputText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input, null, 1);
}
