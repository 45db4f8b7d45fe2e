import { codecFor } from '../items/codecs.ts';
import type { Config } from '../policy/config.ts';
import { withSafetyMargin } from '../tokens/count.ts';
import { measureItem } from '../tokens/measure.ts';
import { thresholds, usableWindow } from '../tokens/thresholds.ts';
import { counterFor } from '../tokens/tokenizers.ts';
import { sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import { type Entry, sumOfTokens } from './entry.ts';
import { accept, type Outcome, reject } from './errors.ts';
import type { EventData, NewEvent } from './events.ts';
import { configOf, contextTokens, type Head } from './head.ts';
import { pinOf } from './pins.ts';
import { supersededBy } from './proposal-events.ts';
import type { World } from './world.ts';

/** Each is named in the head, which every append reads. */
const MOST_PINS = 50;

/** Items of the log, as they were appended, and what the context gains when they stand there so. */
export type PinnedItems = { seq: number; entries: readonly Entry[]; tokens_change: number };

export type AddPin = {
  pin_id: string;
  what: { kind: 'text'; text: string } | { kind: 'items'; items: PinnedItems };
  /** `compacted_version` of the head that the items were read at. */
  compacted_version: number;
};

/** `pin_id` is that of an earlier pin where the item was pinned already. */
export type AddedPin = { pin_id: string; head: Head };

/**
 * Pins a text or items (SPEC section 20): from now on they stand word for word in every context, right
 * behind the initial context where a compaction has covered them. Rejects: session_not_found,
 * version_mismatch (the context was changed at the same moment), not_pinnable (no room).
 */
export function addPin(world: World, command: AddPin): Decide<AddedPin> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { pin_id, what } = command;
    if (what.kind === 'items') {
      const { pins, compacted_version } = head.state;
      const known = pinOf(pins, what.items.seq);
      if (known !== null) {
        return accept({ events: [], value: (after) => ({ pin_id: known.id, head: after }) });
      }
      if (compacted_version !== command.compacted_version) return changedMeanwhile();
    }
    const data = { pin_id, ...pinned(world, head, what), in_force: versionsOf(head) };
    const refusal = refusalOf(world, head, data);
    if (refusal !== null) return refusal;
    const events: NewEvent[] = [{ type: 'pin.added', data }, ...supersededBy(null, head)];
    return accept({ events, value: (after) => ({ pin_id, head: after }) });
  };
}

type Pinned = Pick<EventData['pin.added'], 'text' | 'seq' | 'entries' | 'tokens_change'>;

function pinned(world: World, head: Head, what: AddPin['what']): Pinned {
  if (what.kind === 'items') {
    const { seq, entries, tokens_change } = what.items;
    return { text: null, seq, entries: entries.map(asPinned), tokens_change };
  }
  const { text } = what;
  const config = configOf(head.settings, world.server);
  const codec = codecFor(head.settings.format);
  // Nobody has said it now: it is no request, and no answer is due.
  const item = codec.message('user', text, { is_meta: true });
  const count = counterFor(config, world.tokenizers);
  const { tokens } = measureItem(codec, item, count, config);
  const entry: Entry = { seq: null, item, tokens, origin: 'pinned' };
  return { text, seq: null, entries: [entry], tokens_change: tokens };
}

/** The entry as an event keeps it. */
export function asPinned({ seq, item, tokens }: Entry): Entry {
  return { seq, item, tokens, origin: 'pinned' };
}

function versionsOf({ state }: Head): number[] {
  return state.pins.all.map(({ version }) => version);
}

function refusalOf(
  world: World,
  head: Head,
  { entries, tokens_change }: Pinned,
): Outcome<never> | null {
  const { state, settings } = head;
  const { all } = state.pins;
  if (all.length >= MOST_PINS) {
    return reject('not_pinnable', `${MOST_PINS} pins stand already: remove some, then pin again`);
  }
  const overlapping = entries.find(({ seq }) => seq !== null && pinOf(state.pins, seq) !== null);
  if (overlapping !== undefined) {
    return reject(
      'not_pinnable',
      `the item cannot stand without item ${overlapping.seq}, which is pinned without it: remove that ` +
        'pin, then pin again',
    );
  }
  const config = configOf(settings, world.server);
  const own = sumOfTokens(entries);
  const pins = all.reduce((sum, { tokens }) => sum + tokens, own);
  const most = Math.floor(thresholds(config, settings.context_window).threshold / 2);
  const tokens = withSafetyMargin(pins, config);
  if (tokens > most) {
    return reject(
      'not_pinnable',
      `all pins together would take ${tokens} tokens, and half of the threshold is ${most}: pin ` +
        'less, remove other pins, or make the window larger',
    );
  }
  return overflow(head, config, tokens_change);
}

function overflow(head: Head, config: Config, change: number): Outcome<never> | null {
  const window = usableWindow(config, head.settings.context_window);
  const after = contextTokens(head.state, config) + withSafetyMargin(change, config);
  if (change <= 0 || after < window) return null;
  return reject(
    'not_pinnable',
    `with it the context would take ${after} tokens, and the window holds ${window}: compact first`,
  );
}

/** Where a context was changed while it was read. */
export function changedMeanwhile(): Outcome<never> {
  return reject('version_mismatch', 'the context was changed at the same moment: try again');
}

type RemovePin = {
  pin_id: string;
  tokens_change: number;
  /** `compacted_version` of the head that `tokens_change` was counted at. */
  compacted_version: number;
};

/**
 * Ends a pin: its items stand in the context as far as compactions have left them there. Rejects:
 * session_not_found, pin_not_found, version_mismatch.
 */
export function removePin({ pin_id, tokens_change, compacted_version }: RemovePin): Decide<Head> {
  return (head) => {
    if (head === null) return sessionNotFound();
    if (!head.state.pins.all.some(({ id }) => id === pin_id)) return pinNotFound();
    if (head.state.compacted_version !== compacted_version) return changedMeanwhile();
    const events = [removed(head, pin_id, tokens_change), ...supersededBy(null, head)];
    return accept({ events, value: (after) => after });
  };
}

/** The event that ends a pin. */
export function removed(
  head: Head,
  pin_id: string,
  tokens_change: number,
): Extract<NewEvent, { type: 'pin.removed' }> {
  const others = head.state.pins.all.filter(({ id }) => id !== pin_id);
  const in_force = others.map(({ version }) => version);
  return { type: 'pin.removed', data: { pin_id, tokens_change, in_force } };
}

export function pinNotFound(): Outcome<never> {
  return reject(
    'pin_not_found',
    'the session has no pin with this id: GET …/pins lists those it has',
  );
}
