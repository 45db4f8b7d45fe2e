import { z } from 'zod';
import { entrySchema } from './entry.ts';

// What stays verbatim in every context, whatever compactions cover (SPEC section 20).

const version = z.int().min(1);
const pin_id = z.string().min(1);
/** What the context gains by it, without margin. */
const tokens_change = z.int();
/** The `pin.added` events that are in force besides, in their order. */
const in_force = z.array(version);

export const pinAddedSchema = z.strictObject({
  pin_id,
  /** One of the two was asked for; with an item comes what cannot stand without it. */
  text: z.string().nullable(),
  seq: version.nullable(),
  /** As they stand in the context: the text as a message, or items of the log as they were appended. */
  entries: z.array(entrySchema).min(1),
  /** In a fork: whose items these are, where a compaction had covered them before. */
  of: z.strictObject({ session_id: z.string(), seqs: z.array(version) }).exactOptional(),
  tokens_change,
  in_force,
});

export const pinRemovedSchema = z.strictObject({
  pin_id,
  /** The client has taken back what was pinned. */
  is_superseded: z.literal(true).exactOptional(),
  tokens_change,
  in_force,
});

/** A pin as the head keeps it: the stretch of the log that is pinned, null for anything else. */
export type Pin = {
  id: string;
  version: number;
  range: { from: number; to: number } | null;
  tokens: number;
};

/** The pins of a session, in their order. `first` and `newest` are versions of events, 0: none so far. */
export type Pins = { all: readonly Pin[]; first: number; newest: number };
export const NO_PINS: Pins = { all: [], first: 0, newest: 0 };

export function pinOf({ all }: Pick<Pins, 'all'>, seq: number): Pin | null {
  return all.find(({ range }) => range !== null && range.from <= seq && seq <= range.to) ?? null;
}

/** The pins after a `pin.added` event. */
export function withPin(
  pins: Pins,
  at: number,
  { pin_id: id, entries }: z.infer<typeof pinAddedSchema>,
): Pins {
  const seqs = entries.flatMap(({ seq }) => seq ?? []);
  const range = seqs.length === 0 ? null : { from: Math.min(...seqs), to: Math.max(...seqs) };
  const tokens = entries.reduce((sum, entry) => sum + entry.tokens, 0);
  return {
    all: [...pins.all, { id, version: at, range, tokens }],
    first: pins.first === 0 ? at : pins.first,
    newest: at,
  };
}

export function withoutPin(pins: Pins, at: number, id: string): Pins {
  return { ...pins, all: pins.all.filter((pin) => pin.id !== id), newest: at };
}
