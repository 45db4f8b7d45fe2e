import { FORMATS, type Format } from '../domain/items/codecs.ts';
import type { Item } from '../domain/items/item.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  objectsIn,
  stringField,
} from '../domain/json.ts';
import {
  type Content,
  type Conversation,
  type Importer,
  objectField,
  Tally,
} from './transcript.ts';

/**
 * Audit trails of Palimpsest (`GET …/rollout`, and what `export` of release 0.1.0 wrote). They hold
 * the items, but not all events: what comes of one is a new session with the same conversation.
 */
export const palimpsestRollout: Importer = {
  source: 'palimpsest-rollout',
  description: 'audit trail of Palimpsest (JSON lines that start with session_meta and its format)',
  matches: (content) => metaOf(content) !== null,
  read: (content) => {
    const meta = metaOf(content);
    return meta === null || content.kind !== 'lines' ? [] : [readLines(content.lines, meta)];
  },
};

type Meta = { format: Format; payload: JsonObject };

/** The `session_meta` of this service names the format, which that of Codex does not. */
function metaOf(content: Content): Meta | null {
  if (content.kind !== 'lines') return null;
  const [first] = content.lines;
  if (first?.type !== 'session_meta') return null;
  const payload = objectField(first, 'payload');
  const format = FORMATS.find((known) => known === payload.format);
  return format === undefined || payload.profile === undefined ? null : { format, payload };
}

function readLines(lines: readonly JsonObject[], { format, payload: meta }: Meta): Conversation {
  const items: Item[] = [];
  const skipped = new Tally();
  const superseded = supersededOrdinals(lines);
  for (const { type, payload, ordinal } of lines) {
    if (!isJsonObject(payload)) {
      skipped.add(typeof type === 'string' ? type : 'line_without_type');
    } else if (type === 'response_item' && superseded.has(ordinal)) {
      skipped.add('superseded_item');
    } else if (type === 'response_item') {
      items.push(payload);
    } else if (type === 'compacted' && payload.trigger === null) {
      // A fork starts with what the compactions of its parent had made: nothing else holds that.
      for (const item of replacementOf(payload)) items.push(item);
    } else if (payload.type === 'CompactCommand' && isJsonObject(payload.item)) {
      items.push(payload.item);
    } else if (type !== 'session_meta') {
      const kind = stringField(payload, 'type');
      const of = typeof type === 'string' ? type : 'line_without_type';
      skipped.add(kind === undefined ? of : `${of}:${kind}`);
    }
  }
  return {
    format,
    model: stringField(meta, 'model') ?? null,
    ...settingsOf(meta),
    items,
    skipped,
    notes: [
      'an audit trail holds the conversation but not all events: this becomes a new session with ' +
        'the same items. `palimpsest export` writes a file that becomes the same session',
    ],
  };
}

/** The records of items that another answer has taken the place of. */
function supersededOrdinals(lines: readonly JsonObject[]): Set<Json | undefined> {
  return new Set(
    lines.flatMap((line) => {
      const { type, ordinals } = objectField(line, 'payload');
      return type === 'ItemsSuperseded' && Array.isArray(ordinals) ? ordinals : [];
    }),
  );
}

function settingsOf(meta: JsonObject): Pick<Conversation, 'profile' | 'contextWindow'> {
  const profile = stringField(meta, 'profile');
  const { context_window } = meta;
  return {
    ...(profile === undefined ? {} : { profile }),
    ...(typeof context_window === 'number' ? { contextWindow: context_window } : {}),
  };
}

function replacementOf({ replacement_history }: JsonObject): Item[] {
  return objectsIn(replacement_history);
}
