import { canonicalJson } from '../canonical-json.ts';
import { isJsonObject, type Json, stringField } from '../json.ts';
import type { Codec } from './codec.ts';
import { type Item, type Message, OWN_MESSAGE_FIELDS, type Part, type ToolResult } from './item.ts';
import { isSetting } from './openai-responses/settings.ts';
import { rewrittenKindOf } from './operator.ts';
import { readUtterances, typedMeanwhile } from './utterances.ts';

/**
 * The smallest piece of a conversation that two tellings of it are compared by: a text, a call, a
 * result. `text` is the same for whatever means the same: clients move `cache_control`, write a string
 * as a list of one block, order keys anew, drop the ids of messages, join messages and take them apart
 * (SPEC 2, section 22).
 */
export type Atom = {
  text: string;
  /**
   * A piece that says nothing new may come, go and change between two requests: thinking, and what the
   * client's program writes itself, of which only the kind counts.
   */
  isFirm: boolean;
  /** Who is answerable for it: the model or the client. */
  isOfModel: boolean;
  /** Of a call or a result: the id of the call, which hardly anything else has. */
  anchor: string | null;
  /** The tool that a call is of, and what that is given; absent for all else. */
  call?: { name: string; input: Json };
};

/** Fields that say nothing about what was said: marks of the cache, and what providers add. */
const MEANINGLESS: ReadonlySet<string> = new Set([
  'cache_control',
  'id',
  'status',
  'annotations',
  'logprobs',
  'internal_chat_message_metadata_passthrough',
]);
const CACHE_MARKS: ReadonlySet<string> = new Set(['cache_control']);

/** The pieces of an item that its format's codec accepts, in their order; at least one. */
export function atomsOf(codec: Codec, item: Item): Atom[] {
  const aloud = spokenId(item);
  const normalised = codec.normalise(aloud === null ? item : { ...item, audio: { id: aloud } });
  if (normalised.kind !== 'message') {
    return [silent(`${normalised.kind} ${canonicalJson(item, CACHE_MARKS)}`)];
  }
  const atoms = normalised.parts.flatMap((part) => atomOf(normalised, part) ?? []);
  if (aloud !== null) {
    const text = `${normalised.role} says aloud ${JSON.stringify(aloud)}`;
    atoms.push({ text, isFirm: true, isOfModel: normalised.role === 'assistant', anchor: null });
  }
  return atoms.length === 0 ? [silent(`${normalised.role} nothing`)] : atoms;
}

/** The id of what the model has said aloud in the Chat format: the next request holds no more of it. */
function spokenId({ role, audio }: Item): string | null {
  if (role !== 'assistant' || !isJsonObject(audio)) return null;
  return stringField(audio, 'id') ?? null;
}

function silent(text: string): Atom {
  return { text, isFirm: false, isOfModel: false, anchor: null };
}

function atomOf(message: Message, part: Part): Atom | null {
  const isOfModel = message.role === 'assistant';
  const piece = (text: string, isFirm = true, anchor: string | null = null): Atom => ({
    text: `${message.role} ${text}`,
    isFirm,
    isOfModel,
    anchor,
  });
  switch (part.kind) {
    case 'text':
      return spoken(message, part.text, piece);
    case 'thinking':
      return piece(`thinks ${canonicalJson(meant(part.source), MEANINGLESS)}`, false);
    case 'tool_call': {
      const { id, name, input } = part;
      const text = `calls ${JSON.stringify([id, name])} ${canonicalJson(input)}`;
      return { ...piece(text, true, id), call: { name, input } };
    }
    case 'tool_result': {
      const content = part.content.map(contentOf).join('\n');
      const outcome = part.is_error ? 'fails' : 'returns';
      // Of no role: formats differ in whose message a result is.
      const text = `${outcome} ${JSON.stringify(part.call_id)} ${content}`;
      return { ...piece('', true, part.call_id), text };
    }
    case 'opaque':
      return message.role === 'system' && isJsonObject(part.json) && isSetting(part.json)
        ? piece(`sets ${part.json.type}`, false)
        : piece(contentOf(part));
    case 'image':
      return piece(contentOf(part));
    default:
      return part satisfies never;
  }
}

type Piece = (text: string, isFirm?: boolean) => Atom;

function spoken(message: Message, text: string, piece: Piece): Atom | null {
  const words = text.trim();
  if (words === '') return null;
  if (message.role === 'assistant') return piece(`says ${words}`);
  if (message.role === 'system') {
    const kind = typedMeanwhile(words) === null ? rewrittenKindOf(words) : null;
    return kind === null ? piece(`says ${words}`) : piece(`tells ${kind}`, false);
  }
  // Most texts begin and end with words of the user, and those are read quickly.
  const said = readUtterances(words).filter(({ speaker }) => !isOfProgram(speaker));
  const firm = said.map((utterance) => utterance.text.trim()).filter((each) => each !== '');
  if (firm.length > 0) return piece(`says ${firm.join('\n')}`);
  return piece(`tells ${rewrittenKindOf(words) ?? words}`, false);
}

function isOfProgram(speaker: string): boolean {
  return speaker === 'program' || speaker === 'project_instructions' || speaker === 'hook';
}

function contentOf(part: ToolResult['content'][number]): string {
  switch (part.kind) {
    case 'text':
      return part.text.trim();
    case 'image':
      return `image ${canonicalJson(part.source ?? null)}`;
    case 'opaque':
      return `opaque ${canonicalJson(meant(part.json), MEANINGLESS)}`;
    default:
      return part satisfies never;
  }
}

const OWN_FIELDS: ReadonlySet<string> = new Set(OWN_MESSAGE_FIELDS);

/** Without our own fields, and those that hold nothing: clients write them out or leave them away. */
function meant(json: Json): Json {
  if (!isJsonObject(json)) return json;
  const isMeant = ([name, value]: [string, Json]) =>
    value !== null && !(Array.isArray(value) && value.length === 0) && !OWN_FIELDS.has(name);
  return Object.fromEntries(Object.entries(json).filter(isMeant));
}
