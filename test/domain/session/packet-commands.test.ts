import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import type { Attribution } from '../../../src/domain/policy/attribution.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { appendItems } from '../../../src/domain/session/append-items.ts';
import { requestCompaction } from '../../../src/domain/session/compaction-commands.ts';
import {
  completeFull,
  completeMicro,
  type FullResult,
} from '../../../src/domain/session/complete-compaction.ts';
import type { EventData, NewEvent } from '../../../src/domain/session/events.ts';
import { type Head, packetState, wakeAtMs } from '../../../src/domain/session/head.ts';
import {
  packetRequested,
  receivePacket,
  timeOutPacket,
} from '../../../src/domain/session/packet-commands.ts';
import { attributionOf, PLAIN_REPORT } from '../../support/event-data.ts';
import {
  AT,
  appended,
  CLOCK,
  cancelled,
  configWith,
  created,
  failed,
  given,
  headOf,
  NOW,
  requested,
  SESSION,
  skipped,
  started,
  termsWith,
  WORLD,
} from '../../support/given.ts';
import { assistant, call, ofTokens, result, user } from '../../support/items.ts';

const DUE: Attribution = attributionOf('turn_complete', {
  tier: 'ready',
  percent_remaining: 62,
  boundaries: ['commit'],
});
const PROMPT = { version: 'packet@1', text: 'Write the packet.' };
const DEADLINE = NOW + 300_000;
const ASKED = packetRequested(configWith(), DUE, PROMPT, NOW);
const FILLING = appended(assistant(ofTokens(100_000)));
const toolUse = [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }];
const TIERS = { auto_compact_trigger: 'tiers', packet_author: 'agent' } as const;
const awaiting = (config: ConfigOverrides = {}) => [
  created({ config: { ...TIERS, ...config } }),
  FILLING,
  ASKED,
];

function stateOf(...events: NewEvent[]): Head['state'] {
  const head = headOf(events);
  if (head === null) throw new Error('there is no session');
  return head.state;
}

function append(items: Item[], now_ms = NOW) {
  return appendItems(WORLD, {
    items,
    defaults: SESSION,
    compaction_id: 'c',
    now_ms,
    at: AT,
  });
}

/** The request that follows a packet which came as the event of version `received`; null: none came. */
function follows(received: number | null): NewEvent {
  const packet =
    received === null
      ? ({ author: 'watcher' } as const)
      : ({ author: 'agent', received_version: received } as const);
  return requested({ reason: 'turn_complete', attribution: DUE, packet });
}

/** The request that follows when the user has spoken instead, in the item of this version. */
function endedBy(before: number): NewEvent {
  return requested({ reason: 'turn_complete', attribution: DUE, before });
}

function received(data: Partial<EventData['packet.received']>): NewEvent {
  const none = { source: 'posted', seq: null, text: null, is_truncated: false } as const;
  return { type: 'packet.received', data: { ...none, ...data } };
}

describe('packetRequested', () => {
  it('carries the prompt, its version, what is due, and the deadline', () => {
    expect(ASKED).toEqual({
      type: 'packet.requested',
      data: {
        attribution: DUE,
        prompt: 'Write the packet.',
        template: 'packet@1',
        deadline_ms: DEADLINE,
      },
    });
    const config = configWith({ packet_timeout_seconds: 0.5 });
    expect(packetRequested(config, DUE, PROMPT, NOW).data).toMatchObject({
      deadline_ms: NOW + 500,
    });
  });

  it('makes the session wait, to be looked at when the deadline has come', () => {
    const state = stateOf(...awaiting());
    expect(packetState(state)).toBe('awaiting_packet');
    expect(wakeAtMs(state)).toBe(DEADLINE);
  });
});

describe('receivePacket', () => {
  const receive = (text: string) => receivePacket(WORLD, { compaction_id: 'c', text });

  it('takes the text and requests the compaction', () => {
    given(...awaiting())
      .when(receive('Goal. Next step.'))
      .yields(received({ text: 'Goal. Next step.' }), follows(4))
      .answers({ compaction_id: 'c', is_truncated: false });
    const state = stateOf(...awaiting(), received({ text: 'x' }), follows(4));
    expect(packetState(state)).toBe('compacting');
    expect(wakeAtMs(state)).toBeNull();
  });

  it('cuts a text that is too long in the middle, and says so', () => {
    const text = `START ${'x'.repeat(1_000)} END`;
    const [event] = given(...awaiting({ packet_max_tokens: 64 }))
      .when(receive(text))
      .answers({ compaction_id: 'c', is_truncated: true })
      .events();
    expect(event).toEqual(
      received({
        is_truncated: true,
        text: expect.stringMatching(/^START x+\n\[… about \d+ tokens left out …\]\nx+ END$/),
      }),
    );
  });

  it.each([
    ['nobody asked', [created()]],
    ['the wait is over', [...awaiting(), received({ text: 'x' }), follows(4), cancelled()]],
  ])('is refused when %s', (_name, events: NewEvent[]) => {
    given(...events)
      .when(receive('x'))
      .rejects('packet_not_requested', /asks for one with the event packet\.requested/);
  });

  it('is refused a second time, and names the compaction that is under way', () => {
    given(...awaiting(), received({ text: 'x' }), follows(4))
      .when(receive('x'))
      .rejects(
        'packet_not_requested',
        /compaction c is under way, and it is too late for a packet/,
      );
  });

  it('is refused for a session that does not exist', () => {
    given()
      .when(receive('x'))
      .rejects('session_not_found', /POST \/sessions/);
  });
});

describe('timeOutPacket', () => {
  it('leaves the packet to the service once the deadline has come, and once only', () => {
    const late = timeOutPacket(WORLD, { compaction_id: 'c', now_ms: DEADLINE });
    given(...awaiting())
      .when(late)
      .yields(received({ source: 'timeout' }), follows(null))
      .answers({ applied: true });
    given(...awaiting(), received({ source: 'timeout' }), follows(null))
      .when(late)
      .yields()
      .answers({ applied: false });
  });

  it('does nothing before', () => {
    given(...awaiting())
      .when(timeOutPacket(WORLD, { compaction_id: 'c', now_ms: DEADLINE - 1 }))
      .yields()
      .answers({ applied: false });
  });

  it('is refused for a session that was erased', () => {
    given()
      .when(timeOutPacket(WORLD, { compaction_id: 'c', now_ms: DEADLINE }))
      .rejects('session_not_found', /no session/);
  });
});

describe('an append while a packet is awaited', () => {
  const taken = (items: Item[], now_ms = NOW): NewEvent[] =>
    given(...awaiting())
      .when(append(items, now_ms))
      .events()
      .slice(items.length);

  it('with the answer of the agent is the packet', () => {
    given(...awaiting())
      .when(append([user('Write the packet.', { is_meta: true }), assistant('Goal. Next steps.')]))
      .yields(
        appended(user('Write the packet.', { is_meta: true })),
        appended(assistant('Goal. Next steps.')),
        received({ source: 'assistant_item', seq: 5, text: 'Goal. Next steps.' }),
        follows(6),
      )
      .answers(expect.objectContaining({ compaction: expect.objectContaining({ id: 'c' }) }));
  });

  it.each<[string, Item[]]>([
    ['what a hook says', [user('Stop hook feedback:\nrun the tests')]],
    ['what another agent says', [assistant('Done.', { agent_id: 'a' })]],
    ['blank text', [assistant(' \n')]],
    ['thinking alone', [assistant([{ type: 'thinking', thinking: 'hm', signature: 's' }])]],
    ['a tool call', [call('t', 'Bash')]],
    [
      'a text beside a tool call',
      [assistant([{ type: 'text', text: 'Let me look.' }, ...toolUse])],
    ],
    ['a text right before a tool call', [assistant('Let me look.'), call('t', 'Bash')]],
    ['a synthetic message', [assistant('x', { is_meta: true })]],
    ['an error text', [assistant('API Error', { is_api_error_message: true })]],
  ])('goes on waiting at %s', (_name, items) => {
    expect(taken(items)).toEqual([]);
  });

  it('takes the first answer after the tool calls of the turn', () => {
    const items = [
      assistant('Let me look.'),
      call('t', 'Bash'),
      result('t', 'ok'),
      assistant('The packet.'),
      user('Thanks. And now?'),
      assistant('Something else.'),
    ];
    expect(taken(items.slice(0, 4))).toEqual([
      received({ source: 'assistant_item', seq: 7, text: 'The packet.' }),
      follows(8),
    ]);
    // What the user has said since is what comes next.
    expect(taken(items)).toEqual([endedBy(8)]);
  });

  it.each<[string, Item[], number]>([
    ['alone', [user('Delete the old tests, please.')], 4],
    ['with the answer', [user('Delete them, please.'), assistant('Deleted.')], 4],
    ['after the start of the turn', [call('t', 'Bash'), user('Stop.'), assistant('Stopped.')], 5],
    ['in a reminder', [user('<system-reminder>a</system-reminder>\nStop.')], 4],
  ])('a message of the user ends the wait without a packet: %s', (_name, items, seq) => {
    expect(taken(items)).toEqual([endedBy(seq)]);
  });

  it('ends the wait when the deadline has passed', () => {
    expect(taken([call('t', 'Bash')], DEADLINE)).toEqual([
      received({ source: 'timeout' }),
      follows(null),
    ]);
  });

  it('still takes the answer of an agent that is late', () => {
    expect(taken([assistant('Late.')], DEADLINE)[0]).toEqual(
      received({ source: 'assistant_item', seq: 4, text: 'Late.' }),
    );
  });

  it('requests nothing else at the threshold, since a compaction is due anyway', () => {
    given(...awaiting({ trigger_emergency_percent_remaining_lt: 1 }))
      .when(append([result('t', ofTokens(41_000))]))
      .yields(appended(result('t', ofTokens(41_000))));
  });

  it('does not wait in an emergency: the service writes the packet', () => {
    expect(taken([result('t', ofTokens(51_000))])).toEqual([
      expect.objectContaining({
        data: expect.objectContaining({ packet: { author: 'watcher' } }),
      }),
    ]);
  });

  it('gives way to a command', () => {
    const events = given(...awaiting({ manual_commands: true }))
      .when(append([user('/compact')]))
      .events();
    expect(events.at(-1)).toMatchObject({
      type: 'compaction.requested',
      data: { trigger: 'manual', packet: { author: 'watcher' } },
    });
  });
});

describe('a compaction by hand while a packet is awaited', () => {
  it.each(['manual', 'tool'] as const)('takes the place: %s', (trigger) => {
    given(...awaiting({ tool_compact_min_tokens: 1_000_000 }))
      .when(requestCompaction(WORLD, { compaction_id: 'c', mode: 'full', trigger }))
      .yields(
        requested({
          mode: 'full',
          trigger,
          reason: 'requested',
          attribution: attributionOf('request'),
          packet: { author: 'watcher' },
        }),
      );
    const state = stateOf(...awaiting(), requested({ packet: { author: 'watcher' } }));
    expect(packetState(state)).toBe('compacting');
    expect(wakeAtMs(state)).toBeNull();
  });
});

describe('the end of a compaction with a packet', () => {
  const ATTEMPT = { compaction_id: 'c', attempt: 1 };
  const running = (config: ConfigOverrides = {}) => [
    ...awaiting(config),
    received({ text: 'The packet.' }),
    follows(4),
    started(),
  ];
  const full = (replacement: number): FullResult => ({
    mode: 'full',
    through: 2,
    previous: null,
    summary_text: 'S',
    entries: [{ seq: null, item: user('S'), tokens: replacement, origin: 'summary' }],
    report: { covered_tokens: 100_000, replacement_tokens: replacement, ...PLAIN_REPORT },
  });
  const said = (text: string) => ({ text, seq: null });
  const packetItem = (text: string, tokens: number): NewEvent => ({
    type: 'item.appended',
    data: { item: user(text, { is_meta: true }), tokens, source: 'packet' },
  });
  const completed = (
    text: string | null,
    replacement = 1_000,
    config: ConfigOverrides = {},
    events = running(config),
  ) => {
    const packet = text === null ? null : said(text);
    const terms = termsWith({ ...TIERS, ...config });
    return given(...events)
      .when(completeFull(terms, ATTEMPT, full(replacement), CLOCK, packet))
      .events();
  };

  it('appends it as a synthetic user item in the same write, and counts it', () => {
    const [first, ...rest] = completed('The packet.');
    expect(first).toMatchObject({
      type: 'compaction.completed',
      data: {
        report: {
          tokens_before: 133_000,
          tokens_after: Math.ceil(1_003 * 1.33),
          is_before_reported: false,
        },
      },
    });
    expect(rest).toEqual([packetItem('The packet.', 3)]);
    const { tokens, tokens_since_compaction, messages } = stateOf(...running(), ...completed('x'));
    expect({ tokens, tokens_since_compaction, messages }).toEqual({
      tokens: 1_001,
      tokens_since_compaction: 0,
      messages: 0,
    });
  });

  it('leaves the session idle, so that a second worker appends nothing', () => {
    const events = [...running(), ...completed('The packet.')];
    expect(packetState(stateOf(...events))).toBe('idle');
    given(...events)
      .when(completeFull(termsWith(TIERS), ATTEMPT, full(1_000), CLOCK, said('The packet.')))
      .yields();
  });

  it('does the same after a micro-compaction', () => {
    const edit = { seq: 2, tool_use_id: 't', content: 'x', kind: 'cleared' } as const;
    const micro = {
      strategy: 'all_older',
      edits: [{ ...edit, tokens_before: 90_001, tokens_after: 1 }],
      tokens_saved: 90_001,
      result_tokens_before: 90_001,
      result_tokens_after: 0,
      duration_ms: 1,
    } as const;
    const events = given(...running())
      .when(
        completeMicro(
          termsWith(TIERS),
          ATTEMPT,
          { ...micro, edits: [...micro.edits] },
          CLOCK,
          said('Packet.'),
        ),
      )
      .events();
    expect(events).toEqual([
      expect.objectContaining({ type: 'compaction.micro_completed' }),
      packetItem('Packet.', 2),
    ]);
    expect(events[0]?.data).toMatchObject({ tokens_after: Math.ceil(10_002 * 1.33) });
  });

  it('appends none where none belongs to the compaction', () => {
    const plain = [created(), FILLING, requested(), started()];
    expect(completed('The packet.', 1_000, {}, plain)).toHaveLength(1);
    expect(completed(null)).toHaveLength(1);
  });

  it.each([
    ['skipped', skipped()],
    ['failed', failed()],
    ['cancelled', cancelled()],
  ])('%s: no packet, and the session is idle', (_name, end) => {
    expect(packetState(stateOf(...running(), end))).toBe('idle');
    given(...running(), end)
      .when(completeFull(termsWith(TIERS), ATTEMPT, full(1_000), CLOCK, said('The packet.')))
      .yields();
  });

  it('a compaction that would not help is skipped, whatever the packet', () => {
    expect(completed('The packet.', 100_000)).toEqual([
      expect.objectContaining({ type: 'compaction.skipped' }),
    ]);
  });

  it.each([
    // 187,000 is the threshold, 200,000 the window: 75 % of it are the line of the tier.
    ['the line that asked for it', 36_000, {}, 50_000],
    ['the threshold', 36_000, { auto_compact_threshold: 49_000 }, 48_999],
    ['the context before', 98_500, { trigger_ready_percent_remaining_lt: 0 }, 132_999],
  ])('is cut so that it stays below %s', (_name, replacement, config, most) => {
    const text = `START ${'x'.repeat(14_000)} END`;
    const events = completed(text, replacement, config);
    const after = stateOf(...running(config), ...events);
    expect(Math.ceil(after.tokens * 1.33)).toBeLessThanOrEqual(most);
    expect(events[1]?.data).toMatchObject({
      source: 'packet',
      item: { content: expect.stringMatching(/^START x+\n\[…[^\]]*…\]\nx+ END$/) },
    });
    expect(events[0]?.data).toMatchObject({ report: { is_still_due: false } });
  });

  it('is left out when there is no room for one', () => {
    const events = completed('x'.repeat(14_000), 37_580);
    expect(events).toEqual([expect.objectContaining({ type: 'compaction.completed' })]);
  });

  it('does not give way to a line that the compaction has not reached anyway', () => {
    const [, packet] = completed('x'.repeat(400), 60_000);
    expect(packet).toEqual(packetItem('x'.repeat(400), 100));
  });
});
