import { describe, expect, it } from 'vitest';
import { BOUNDARIES, type Boundary } from '../../../src/domain/policy/boundaries.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';
import { PureSession } from '../../support/pure-session.ts';
import { append, last } from '../lab.ts';
import { midTurn, openLab, pureAt, signal, turnEnd, work } from './lab.ts';

describe('preconditions', () => {
  it('RW-40, RW-126, RW-128: the end of a turn is looked at, and what the agent said last', () => {
    const session = pureAt(60);
    expect(turnEnd(session)).toBeNull();
    session.append(assistant('It is done.'));
    expect(turnEnd(session)).toMatchObject({ attribution: { boundaries: ['agent_done'] } });
  });

  it('RW-40: not while a compaction is under way', () => {
    const session = pureAt(60, ['commit']);
    expect(midTurn(session)).not.toBeNull();
    session.signal('commit');
    expect(turnEnd(session)).toBeNull();
    expect(session.count('compaction.requested')).toBe(1);
  });

  it.each([60, 5])('RW-40: not in review mode, with %i percent left', (percent) => {
    const session = pureAt(percent, ['commit']);
    const { events, value } = session.signal('turn_complete', { review_mode: true });
    expect(events.map(({ type }) => type)).toEqual(['signal.observed']);
    expect(value).toMatchObject({ advice: null, compaction: null });
    expect(turnEnd(session, { review_mode: false })).not.toBeNull();
  });
});

describe('tokens', () => {
  it('RW-41, RW-51: without any reported usage the estimate counts', () => {
    expect(turnEnd(pureAt(60, ['commit']))).toMatchObject({
      attribution: { percent_remaining: 60 },
    });
  });

  it('RW-51: a usage from before a compaction does not count after it', () => {
    const session = pureAt(90);
    session.append(assistant('Here.', { usage: { input_tokens: 60_000, output_tokens: 0 } }));
    session.signal('commit');
    expect(turnEnd(session)).toMatchObject({ attribution: { percent_remaining: 40 } });
    session.complete(5_000);
    session.signal('commit');
    const { value } = session.signal('turn_complete');
    expect(value).toMatchObject({ percent_remaining_of_window: 95, compaction: null });
  });
});

describe('the threshold', () => {
  it.each<[string, ConfigOverrides, number, boolean]>([
    ['RW-42, RW-43', {}, 75, false],
    ['RW-42, RW-43', {}, 74, true],
    ['RW-42', { trigger_ready_percent_remaining_lt: 60 }, 60, false],
    ['RW-42', { trigger_ready_percent_remaining_lt: 60 }, 59, true],
    ['RW-42', { trigger_early_percent_remaining_lt: 95 }, 80, false],
  ])('%s: with %j and %i percent left it goes on: %s', (_ids, config, percent, goesOn) => {
    const session = pureAt(percent, ['topic_shift'], config);
    const { events } = session.signal('turn_complete');
    const types = goesOn ? ['signal.observed', 'compaction.requested'] : ['signal.observed'];
    expect(events.map(({ type }) => type)).toEqual(types);
  });

  it('RW-43: the last token decides', () => {
    const session = new PureSession();
    session.append(user(ofTokens(25_000)));
    session.signal('commit');
    expect(turnEnd(session)).toBeNull();
    session.append(assistant('x'));
    expect(turnEnd(session)).toMatchObject({ attribution: { tier: 'ready' } });
  });
});

describe('boundary present', () => {
  it.each(BOUNDARIES)('RW-45: %s counts where it is required, and no other', (required) => {
    const config = { auto_requires_any_boundary: [required] };
    // Messages that wait keep a preflight from being armed.
    const queued = { queued_user_messages: 1 };
    const others = BOUNDARIES.filter((b) => b !== required && b !== 'turn_complete');
    if (required !== 'turn_complete') {
      expect(turnEnd(pureAt(60, [required], config), queued)).toMatchObject({
        attribution: { boundaries: [required] },
      });
    }
    const session = pureAt(60, others, config);
    const { value } = session.signal('turn_complete', queued);
    // The end of the turn is a boundary by itself.
    expect(value.compaction !== null).toBe(required === 'turn_complete');
  });

  it.each<[number, Boundary[]]>([
    [70, ['topic_shift', 'pr_checkpoint', 'commit']],
    [
      60,
      [
        'topic_shift',
        'pr_checkpoint',
        'commit',
        'plan_checkpoint',
        'plan_update',
        'agent_done',
        'concluding_thought',
      ],
    ],
  ])('RW-46: none required and %i percent left: those of the tier, %j', (percent, expected) => {
    const taken = BOUNDARIES.filter((boundary) => {
      const posted: Boundary[] = boundary === 'turn_complete' ? [] : [boundary];
      const found = turnEnd(pureAt(percent, posted));
      return found?.attribution.boundaries.includes(boundary);
    });
    expect([...taken].sort()).toEqual([...expected].sort());
    // The end of a turn alone is none; nor is it among those of any tier.
    expect(pureAt(percent).signal('turn_complete').value.compaction).toBeNull();
  });

  it('RW-44, RW-52: one list in the configuration, for the middle of a turn and its end', () => {
    const config = { auto_requires_any_boundary: ['commit'] as Boundary[] };
    for (const [boundary, isTaken] of [
      ['commit', true],
      ['topic_shift', false],
    ] as const) {
      expect(midTurn(pureAt(60, [boundary], config)) !== null).toBe(isTaken);
      expect(turnEnd(pureAt(60, [boundary], config)) !== null).toBe(isTaken);
    }
  });

  it('RW-44, RW-52: nothing in a message sets it', () => {
    const frontmatter = '---\nauto_requires_any_boundary: [commit]\nready: 10\n---\nGo on.';
    const session = pureAt(60);
    session.append(user(frontmatter));
    session.signal('topic_shift');
    expect(turnEnd(session)).toMatchObject({ attribution: { tier: 'asap' } });
  });
});

describe('emergency, and no boundary', () => {
  it.each([
    [14, 'emergency'],
    [15, 'asap'],
  ] as const)('RW-47: with %i percent left it is %s', (percent, tier) => {
    const session = pureAt(percent);
    const { events } = session.signal('turn_complete');
    expect(events.at(-1)?.type).toBe(
      tier === 'emergency' ? 'compaction.requested' : 'compaction.skipped',
    );
    expect(events[1]).toMatchObject({
      data: { attribution: { tier, percent_remaining: percent } },
    });
  });

  it('RW-47: the line is that of the configuration', () => {
    const config = { trigger_emergency_percent_remaining_lt: 30 };
    expect(pureAt(29, [], config).signal('turn_complete').value.compaction).not.toBeNull();
    expect(pureAt(30, [], config).signal('turn_complete').value.compaction).toBeNull();
  });

  it('RW-48: without a boundary it is skipped, "no natural boundary", and nothing runs', async () => {
    const lab = await openLab();
    await append(lab, user('Go.'), assistant(ofTokens(40_000)));
    const { compaction, context, advice } = await signal(lab, 'turn_complete');
    expect({ compaction, advice }).toEqual({ compaction: null, advice: 'no_natural_boundary' });
    const events = await lab.events();
    expect(events.slice(-2)).toMatchObject([
      { type: 'compaction.requested', data: { reason: 'turn_complete' } },
      {
        type: 'compaction.skipped',
        data: {
          reason: 'no_natural_boundary',
          detail: 'no natural boundary: 59 % of the window is left, tier asap',
        },
      },
    ]);
    const row = await lab.store.compaction(
      lab.ref,
      last(events, 'compaction.skipped').data.compaction_id,
    );
    expect(row).toMatchObject({ outcome: 'skipped', outcome_reason: 'no_natural_boundary' });
    expect(await lab.store.pending(10)).toEqual([]);
    const { state } = await lab.head();
    expect(state).toMatchObject({ failures: 0, tokens_since_compaction: context.tokens });
    expect((await lab.view()).entries).toHaveLength(2);
  });

  it('RW-48: each end of a turn is told, and it is recorded once for the same figures', () => {
    const session = pureAt(60);
    for (let turn = 0; turn < 5; turn++) {
      expect(session.signal('turn_complete').value.advice).toBe('no_natural_boundary');
    }
    expect(session.count('compaction.skipped')).toBe(1);
  });

  it.each([
    ['watcher', { author: 'watcher' }],
    ['none', undefined],
  ] as const)('RW-49: else it compacts, with packet_author %s', (packet_author, packet) => {
    expect(turnEnd(pureAt(60, ['commit'], { packet_author }))?.packet).toEqual(packet);
    expect(turnEnd(pureAt(5, [], { packet_author }))?.packet).toEqual(packet);
  });

  it('RW-49: or asks the agent first', () => {
    const session = pureAt(60, ['commit'], { packet_author: 'agent' });
    const { events } = session.signal('turn_complete');
    expect(events.map(({ type }) => type)).toEqual(['signal.observed', 'packet.requested']);
  });

  it('RW-49: and the worker does it, far below the threshold', async () => {
    const lab = await openLab();
    await append(lab, user('Go.'), assistant(`It is done. ${ofTokens(40_000)}`));
    await signal(lab, 'turn_complete');
    expect((await work(lab)).map(({ type }) => type)).toContain('compaction.completed');
  });
});
