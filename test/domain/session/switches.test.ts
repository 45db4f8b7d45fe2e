import { describe, expect, test } from 'vitest';
import { planCompaction, planRequest } from '../../../src/domain/compaction/plan.ts';
import { foldView } from '../../../src/domain/context/view.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { requestCompaction } from '../../../src/domain/session/compaction-commands.ts';
import { termsOf } from '../../../src/domain/session/head.ts';
import { receivePacket, timeOutPacket } from '../../../src/domain/session/packet-commands.ts';
import { WORLD } from '../../support/given.ts';
import { ofTokens, tool, user } from '../../support/items.ts';
import { PureSession } from '../../support/pure-session.ts';

/** Everything is on, and clearing old tool results is enough. Windows have 100,000 tokens. */
const ALL_ON: ConfigOverrides = {
  micro_compact_enabled: true,
  micro_compact_target_tokens: 10_000,
  micro_compact_keep_last_n_tools: 1,
  packet_author: 'none',
  manual_commands: true,
};
const SWITCHES = ['enabled', 'auto_compact_enabled', 'micro_compact_enabled'] as const;
type Switch = (typeof SWITCHES)[number];

/** A session with 60,000 tokens of tool results, nearly all of which can be cleared. */
function sessionWith(config: ConfigOverrides): PureSession {
  const session = new PureSession({ ...ALL_ON, ...config });
  session.append(user('Go.'), ...['a', 'b', 'c', 'd', 'e', 'f'].flatMap(readFile));
  return session;
}

function readFile(id: string) {
  return tool(id, 'Read', 10_000);
}

function configure(session: PureSession, config: ConfigOverrides): void {
  session.push({ type: 'session.configured', data: { config } });
}

/** What a worker would do with the compaction that is under way. */
function whatRuns({ log, head }: PureSession): string {
  const { running } = head.state;
  if (running === null) return 'nothing';
  const [created, ...events] = log;
  if (created?.type !== 'session.created') throw new Error('a log starts with session.created');
  const view = foldView({ created, base: null, events });
  const plan = planCompaction(termsOf(head.settings, WORLD), head, view, planRequest(running, {}));
  return plan.kind === 'skip' ? plan.skip.reason : plan.kind;
}

type Play = {
  config?: ConfigOverrides;
  /** What is done before a switch is turned. */
  prepare?: (session: PureSession) => void;
  trigger: (session: PureSession) => void;
};

const endTurn = (session: PureSession) => {
  session.signal('agent_done');
  session.signal('turn_complete');
};
const fill = (session: PureSession) => {
  session.append(user(ofTokens(30_000)));
};
const ask = (trigger: 'manual' | 'tool') => (session: PureSession) => {
  const outcome = requestCompaction(WORLD, { compaction_id: 'r', mode: 'auto', trigger })(
    session.head,
  );
  if (outcome.ok) outcome.value.events.forEach((event) => void session.push(event));
};

const PLAYS = {
  'the threshold, at an append': { config: { auto_compact_trigger: 'threshold' }, trigger: fill },
  'a token limit, at an append': {
    config: { auto_compact_trigger: 'limit', auto_compact_token_limit: 80_000 },
    trigger: fill,
  },
  'a full context under tiers, at an append': { trigger: fill },
  'the middle of a turn': {
    trigger: (session) => {
      session.signal('agent_done');
      session.signal('sampling_complete', { needs_follow_up: true });
    },
  },
  'the end of a turn': { trigger: endTurn },
  'a message after the end of a turn': {
    config: { auto_requires_any_boundary: ['turn_complete'] },
    trigger: (session) => {
      endTurn(session);
      session.append(user('Next.'));
    },
  },
  'a message that a preflight waits for already': {
    config: { auto_requires_any_boundary: ['turn_complete'] },
    prepare: endTurn,
    trigger: (session) => {
      session.append(user('Next.'));
    },
  },
  'a packet that is waited for already': {
    config: { packet_author: 'agent' },
    prepare: endTurn,
    trigger: (session) => {
      const step = receivePacket(WORLD, { compaction_id: 'p', text: 'Goal: the parser.' });
      const outcome = step(session.head);
      if (outcome.ok) outcome.value.events.forEach((event) => void session.push(event));
    },
  },
  'a packet that never comes': {
    config: { packet_author: 'agent' },
    prepare: endTurn,
    trigger: (session) => {
      session.run(timeOutPacket(WORLD, { compaction_id: 'p', now_ms: session.nowMs + 3_600_000 }));
    },
  },
  'a command': {
    trigger: (session) => {
      session.append(user('/compact'));
    },
  },
  'a request by hand': { trigger: ask('manual') },
  'a request by a tool': { trigger: ask('tool') },
} satisfies Record<string, Play>;

/** What follows with all switches on, and with one of them off. */
const EXPECTED: Record<keyof typeof PLAYS, Record<'all on' | Switch, string>> = {
  'the threshold, at an append': automatic(),
  'a token limit, at an append': automatic(),
  'a full context under tiers, at an append': automatic(),
  'the middle of a turn': automatic(),
  'the end of a turn': automatic(),
  'a message after the end of a turn': automatic(),
  // What has been announced already ends with the switch.
  'a message that a preflight waits for already': automatic(),
  'a packet that is waited for already': automatic(),
  'a packet that never comes': automatic(),
  'a command': {
    'all on': 'full',
    enabled: 'nothing',
    auto_compact_enabled: 'full',
    micro_compact_enabled: 'full',
  },
  'a request by hand': byHand(),
  'a request by a tool': byHand(),
};

function automatic() {
  return {
    'all on': 'micro',
    enabled: 'nothing',
    auto_compact_enabled: 'nothing',
    micro_compact_enabled: 'full',
  };
}

function byHand() {
  return { ...automatic(), auto_compact_enabled: 'micro' };
}

/** The names are those of the table above: TypeScript widens the keys of an object. */
const TABLE = Object.entries(EXPECTED) as [keyof typeof PLAYS, Record<'all on' | Switch, string>][];

describe.each(TABLE)('%s', (name, expected) => {
  const { config, prepare, trigger }: Play = PLAYS[name];

  test.each(['all on', ...SWITCHES] as const)('%s', (off) => {
    const session = sessionWith(config ?? {});
    prepare?.(session);
    if (off !== 'all on') configure(session, { [off]: false });
    trigger(session);
    expect(whatRuns(session)).toBe(expected[off]);
  });

  test('nothing that a session sets turns on again what the operator has switched off', () => {
    const session = sessionWith(config ?? {});
    prepare?.(session);
    trigger(session);
    const { running } = session.head.state;
    if (running === null) throw new Error('nothing is under way');
    const [created, ...events] = session.log;
    if (created?.type !== 'session.created') throw new Error('a log starts with session.created');
    const view = foldView({ created, base: null, events });
    const world = { ...WORLD, server: { enabled: false } };
    const terms = termsOf(session.head.settings, world);
    expect(planCompaction(terms, session.head, view, planRequest(running, {}))).toMatchObject({
      kind: 'skip',
      skip: { reason: 'compaction_disabled' },
    });
  });
});
