import { type JsonObject, stringField } from '../../json.ts';

/** The field of a piece that the next one goes on with, by its type: of OpenRouter and of LiteLLM. */
const TEXTS: Readonly<Record<string, string>> = {
  'reasoning.text': 'text',
  'reasoning.summary': 'summary',
  thinking: 'thinking',
};

/** Reasoning in the pieces of a stream, as the same answer holds it in one body. */
export function joinedReasoning(pieces: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    const text = textField(piece);
    if (last !== undefined && text !== null && goesOn(last, piece)) {
      joined[joined.length - 1] = both(last, piece, text);
    } else joined.push(piece);
  }
  return joined;
}

function textField({ type }: JsonObject): string | null {
  return typeof type === 'string' && Object.hasOwn(TEXTS, type) ? (TEXTS[type] ?? null) : null;
}

/** Behind its signature another thought begins. */
function goesOn(last: JsonObject, { type, index }: JsonObject): boolean {
  return (
    last.type === type && last.index === index && (stringField(last, 'signature') ?? '') === ''
  );
}

function both(last: JsonObject, piece: JsonObject, text: string): JsonObject {
  const all = { ...last };
  for (const [field, value] of Object.entries(piece)) {
    const before = all[field] ?? '';
    if (field === text)
      all[field] = (stringField(last, text) ?? '') + (stringField(piece, text) ?? '');
    else if (before === '') all[field] = value;
  }
  return all;
}
