import { codecFor, type Format } from '../items/codecs.ts';
import type { Item, Normalised } from '../items/item.ts';
import type { Json } from '../json.ts';
import { type CompactionCommand, compactionCommand } from '../policy/commands.ts';
import type { Config } from '../policy/config.ts';
import { commandReader } from '../policy/shell-commands.ts';
import { measureItem, usageTokens } from '../tokens/measure.ts';
import { type ThresholdState, thresholdState } from '../tokens/thresholds.ts';
import { type Advice, afterAppend, type Request } from './after-append.ts';
import { asLogged } from './as-logged.ts';
import { checkItems } from './check-items.ts';
import { type Counted, countedCounter } from './counted.ts';
import { checkRoom, created, type NewSession } from './create-session.ts';
import type { Decide } from './decision.ts';
import { commandsOf, derivedSignals, type ItemCommands } from './derive-signals.ts';
import { disarmed } from './disarm.ts';
import { accept, type Outcome, reject } from './errors.ts';
import type { NewEvent } from './events.ts';
import { evolve } from './evolve.ts';
import { configOf, contextTokens, type Head, type UnderWay, underWay } from './head.ts';
import { occurredAt } from './occurred-at.ts';
import { openCallsNote } from './open-calls.ts';
import { takenPacket } from './packet-commands.ts';
import type { Told } from './told.ts';
import type { World } from './world.ts';

/** `compaction_id`: of the compaction that this append may request. */
export type AppendItems = Request & {
  /** Unchecked items of the client; at least one. */
  items: readonly Json[];
  /** Used when the session does not exist yet. */
  defaults: NewSession;
  /** The version that the client believes to be current (`If-Match`). */
  expected_version?: number;
  /** Of an item of these, by its index: what the client's history came to up to it. */
  told?: { index: number; told: Told };
  /** Where a real tokenizer counts; without it that is done while the session is held. */
  counted?: Counted | undefined;
  at: string;
};

export type Appended = {
  version: number;
  first_seq: number;
  last_seq: number;
  context: ThresholdState;
  compaction: UnderWay | null;
  advice: Advice | null;
  /** What the client should know about this request, such as that it waits for a compaction. */
  note: string | null;
};

/**
 * Appends items, all or nothing, and requests a compaction in the same write when the context has
 * reached its threshold, or another rule asks for one (SPEC sections 2, 6, 10, 11, 13; DESIGN,
 * decision 2).
 * Rejects: version_mismatch, invalid_item, invalid_config (a new session whose window has no room).
 */
export function appendItems(world: World, command: AppendItems): Decide<Appended> {
  return (head) => {
    const mismatch = checkVersion(head, command.expected_version);
    if (mismatch !== null) return mismatch;
    const roomy = head === null ? checkRoom(world, command.defaults) : accept(null);
    if (!roomy.ok) return roomy;
    const events: NewEvent[] = [];
    let current = head;
    const push = (event: NewEvent): Head => {
      events.push(event);
      const version = (current?.state.version ?? 0) + 1;
      current = evolve(current, asLogged(event, version, command.at));
      return current;
    };
    let after = current ?? push(created(command.defaults));
    const before = after.state.open_calls;
    const { settings } = after;
    const config = configOf(settings, world.server);
    const measured = measure(world, command, after, config);
    if (!measured.ok) return measured;
    const first = after.state.version + 1;
    const asked = config.manual_commands ? commandAtEnd(measured.value) : null;
    const boundariesOf = commandReader(config);
    const items: Kept[] = [];
    for (const [index, { item, normalised, tokens }] of measured.value.entries()) {
      const isCommand = asked !== null && items.length === measured.value.length - 1;
      const commands = commandsOf(after, config, normalised, boundariesOf);
      const event = isCommand ? excluded(item) : appended(item, normalised, tokens, commands);
      after = push(index === command.told?.index ? withTold(event, command.told.told) : event);
      const { reached } = commands;
      if (!isCommand)
        items.push({ seq: after.state.version, posted: item, item: normalised, reached });
    }
    const last = after.state.version;
    for (const event of disarmed(after, config, command.compaction_id)) after = push(event);
    for (const event of derivedSignals(after, config, items)) after = push(event);
    for (const event of takenPacket(world, after, config, items, command)) after = push(event);
    const {
      events: more,
      advice,
      note,
    } = afterAppend(after, config, { items, command: asked }, command);
    for (const event of more) after = push(event);
    const context = thresholdState(
      contextTokens(after.state, config),
      config,
      settings.context_window,
    );
    const value: Appended = {
      version: after.state.version,
      first_seq: first,
      last_seq: last,
      context,
      compaction: underWay(after.state),
      advice,
      note: joined([note, openCallsNote(before, items), blankNote(settings.format, items)]),
    };
    return accept({ events, value: () => value, after });
  };
}

/** An item of the append that the model is to read. */
type Kept = { seq: number; posted: Item; item: Normalised } & Pick<ItemCommands, 'reached'>;

type ItemAppended = Extract<NewEvent, { type: 'item.appended' }>;

function joined(notes: readonly (string | null)[]): string | null {
  const said = notes.filter((note) => note !== null);
  return said.length === 0 ? null : said.join('; ');
}

/** Says which items hold nothing that a context could show; null when each of them does. */
function blankNote(format: Format, items: readonly Kept[]): string | null {
  const codec = codecFor(format);
  const blank = items.filter(({ posted, item }) => {
    if (item.kind === 'attachment') return item.is_empty;
    if (item.kind !== 'message') return false;
    const isSilent = item.parts.every((part) => part.kind === 'text' && part.text.trim() === '');
    return isSilent && codec.render([posted], 'part').length === 0;
  });
  const [first] = blank;
  if (first === undefined) return null;
  const [what, verb] =
    blank.length === 1 ? ['item', 'is'] : [`${blank.length} items, first`, 'are'];
  return `${what} ${first.seq} ${verb} empty and will not appear in the context`;
}

/** Rejects with version_mismatch a session that is at another version; null when it is not. */
export function checkVersion(
  head: Head | null,
  expected: number | undefined,
): Outcome<never> | null {
  const actual = head?.state.version ?? 0;
  if (expected === undefined || expected === actual) return null;
  return reject(
    'version_mismatch',
    `the session is at version ${actual}, not ${expected}: read it again before you append`,
  );
}

type Measured = { item: Item; normalised: Normalised; tokens: number };

function measure(
  world: World,
  { items, counted }: AppendItems,
  head: Head,
  config: Config,
): Outcome<Measured[]> {
  const { format } = head.settings;
  const codec = codecFor(format);
  const count = countedCounter(world, config, counted);
  const checked = checkItems(format, 'items', items);
  if (!checked.ok) {
    const what = checked.errors.length === 1 ? 'an item does' : 'items do';
    return reject(
      'invalid_item',
      `nothing was appended: ${what} not fit the session's format "${format}"`,
      checked.errors,
    );
  }
  return accept(
    checked.items.map((item) => ({ item, ...measureItem(codec, item, count, config) })),
  );
}

/** Only the last item of an append is looked at: what follows a command would be its answer. */
function commandAtEnd(measured: readonly Measured[]): CompactionCommand | null {
  const last = measured.at(-1);
  return last === undefined ? null : compactionCommand(last.normalised);
}

function appended(
  item: Item,
  normalised: Normalised,
  tokens: number,
  { opened, closed }: ItemCommands,
): ItemAppended {
  const usage = usageTokens(normalised);
  return {
    type: 'item.appended',
    data: {
      item,
      tokens,
      ...(usage !== undefined && { usage }),
      ...(opened.length > 0 && { commands: opened }),
      ...(closed.length > 0 && { closed_commands: closed }),
      ...occurrence(item),
    },
  };
}

function excluded(item: Item): ItemAppended {
  const data = { item, tokens: 0, excluded: 'command' as const, ...occurrence(item) };
  return { type: 'item.appended', data };
}

function occurrence(item: Item): { occurred_at?: string } {
  const time = occurredAt(item);
  return time === undefined ? {} : { occurred_at: time };
}

function withTold({ type, data }: ItemAppended, told: Told): ItemAppended {
  return { type, data: { ...data, told } };
}
