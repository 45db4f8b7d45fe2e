import { codecFor } from '../items/codecs.ts';
import type { Json } from '../json.ts';
import { windowProblem } from '../policy/profiles.ts';
import { toolPatternProblem } from '../policy/tool-patterns.ts';
import { measureItem } from '../tokens/measure.ts';
import { checkItems } from './check-items.ts';
import { type Counted, countedCounter } from './counted.ts';
import type { Decide } from './decision.ts';
import { disarmed } from './disarm.ts';
import type { Entry } from './entry.ts';
import { accept, type Outcome, reject } from './errors.ts';
import type { EventData, NewEvent } from './events.ts';
import { settingsAfter } from './evolve.ts';
import { configOf, type Head, type Settings } from './head.ts';
import type { World } from './world.ts';

export type NewSession = Settings & {
  /** Unchecked items that survive every compaction. */
  initial_context: readonly Json[];
  /** Of its texts, where a real tokenizer counts. */
  counted?: Counted | undefined;
};

/**
 * Creates a session. Rejects: session_exists, invalid_item (initial context), invalid_config (the
 * window leaves no room for the profile's figures, SPEC section 15; or the overrides are too many).
 */
export function createSession(world: World, session: NewSession): Decide<Head> {
  return (head) => {
    if (head !== null) {
      return reject(
        'session_exists',
        'a session with this id already exists: go on with it, or choose another id',
      );
    }
    const settings = settingsOf(session);
    const fits = checkSettings(world, settings);
    if (!fits.ok) return fits;
    const initial = initialEntries(world, session, settings);
    if (!initial.ok) return initial;
    const event: NewEvent = {
      type: 'session.created',
      data: { ...settings, initial_context: initial.value },
    };
    return accept({ events: [event], value: (after) => after });
  };
}

/** The first event of a session without initial context, as an append to a new id makes it. */
export function created(session: NewSession): NewEvent {
  return { type: 'session.created', data: { ...settingsOf(session), initial_context: [] } };
}

/**
 * Changes settings; never rewrites history. What waits for a compaction that the new configuration no
 * longer makes ends with it, under `compaction_id`. Rejects: session_not_found, invalid_config.
 */
export function configureSession(
  world: World,
  change: EventData['session.configured'],
  compaction_id: string,
): Decide<Head> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const settings = settingsAfter(head.settings, change);
    const fits =
      change.config === undefined ? checkRoom(world, settings) : checkSettings(world, settings);
    if (!fits.ok) return fits;
    const events: NewEvent[] = [{ type: 'session.configured', data: change }];
    events.push(...disarmed(head, configOf(settings, world.server), compaction_id));
    return accept({ events, value: (after) => after });
  };
}

export function sessionNotFound(): Outcome<never> {
  return reject(
    'session_not_found',
    'there is no session with this id: GET /sessions lists those there are, POST /sessions creates one',
  );
}

function settingsOf(session: NewSession): Settings {
  const { initial_context: _initial, counted: _counted, ...settings } = session;
  return settings;
}

/** Of a session's own configuration, in characters of JSON: it is part of the head of the session. */
const MOST_CONFIG = 65_536;

function checkSettings(world: World, settings: Settings): Outcome<null> {
  const characters = JSON.stringify(settings.config).length;
  if (characters <= MOST_CONFIG) return checkRoom(world, settings);
  return reject(
    'invalid_config',
    `the configuration of the session has ${characters} characters of JSON, and may have at most ` +
      `${MOST_CONFIG}: use fewer or shorter phrases, or configure them on the server`,
  );
}

/**
 * Rejects with invalid_config when the window leaves no room for the figures (SPEC section 15), or when
 * a pattern of tool names is none.
 */
export function checkRoom(world: World, settings: Settings): Outcome<null> {
  const config = configOf(settings, world.server);
  const problem = windowProblem(config, settings.context_window);
  if (problem !== null) return reject('invalid_config', problem);
  const misfit = toolPatternProblem(config.micro_compact_eligible_tools);
  return misfit === null
    ? accept(null)
    : reject('invalid_config', `micro_compact_eligible_tools: ${misfit}`);
}

function initialEntries(world: World, session: NewSession, settings: Settings): Outcome<Entry[]> {
  const codec = codecFor(session.format);
  const config = configOf(settings, world.server);
  const count = countedCounter(world, config, session.counted);
  const checked = checkItems(session.format, 'initial_context', session.initial_context);
  if (!checked.ok) {
    return reject(
      'invalid_item',
      `the session was not created: its initial_context does not fit format "${session.format}"`,
      checked.errors,
    );
  }
  return accept(
    checked.items.map((item): Entry => {
      const { tokens } = measureItem(codec, item, count, config);
      return { seq: null, item, tokens, origin: 'initial' };
    }),
  );
}
