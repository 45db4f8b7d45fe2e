import { describe, expect, it } from 'vitest';
import { receivePacket } from '../../../src/domain/session/packet-commands.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';
import type { PureSession } from '../../support/pure-session.ts';
import { append, steps } from '../lab.ts';
import { atTurnEnd, midTurn, packetsOf, pureAt, signal, TEMPLATES, work } from './lab.ts';

const PACKET = 'Completed: the parser. It is done. Next steps: moving on to the docs.';

/** The middle of a turn fifty times; what happens when a compaction is requested. */
function fiftyTimes(session: PureSession, before: () => void, end: () => void): void {
  for (let request = 0; request < 50; request++) {
    before();
    if (midTurn(session) !== null) end();
  }
}

describe('compact, then go on with the same turn', () => {
  it('RW-26, RW-120: without anything new it happens once', () => {
    const session = pureAt(60, ['commit']);
    fiftyTimes(
      session,
      () => session.signal('commit'),
      () => session.complete(39_000),
    );
    expect(session.count('compaction.requested')).toBe(1);
  });

  it('RW-26, RW-120: a compaction that never helps is tried three times, then the breaker opens', () => {
    const session = pureAt(60);
    fiftyTimes(
      session,
      () => {
        session.append(assistant(ofTokens(2_000)));
        session.signal('commit');
      },
      () => session.complete(session.head.state.tokens - 2_000),
    );
    expect(session.count('compaction.requested')).toBe(3);
    expect(session.count('breaker.opened')).toBe(1);
  });

  it('RW-120: it goes on where later requests fill the context again and it does help', () => {
    const session = pureAt(90);
    fiftyTimes(
      session,
      () => {
        session.append(assistant(ofTokens(10_000)));
        session.signal('commit');
      },
      () => session.complete(5_000),
    );
    // Three of ten thousand each until 74 % are left.
    expect(session.count('compaction.completed')).toBeGreaterThan(15);
    expect(session.count('breaker.opened')).toBe(0);
  });
});

describe('packets that speak of boundaries', () => {
  it.each([
    ['posted', false],
    ['as the next answer', true],
  ])('RW-87, RW-121, RW-122: %s, its text is never listened to', async (_how, isItem) => {
    const lab = await atTurnEnd({ packet_author: 'agent' });
    await signal(lab, 'turn_complete');
    if (isItem) {
      const prompt = user(TEMPLATES.packet.text, { is_meta: true });
      await append(lab, prompt, assistant(PACKET));
    } else {
      const packet = { compaction_id: lab.newId(), text: PACKET };
      await lab.commit(receivePacket(lab.world, packet));
    }
    await work(lab);
    expect(await packetsOf(lab)).toHaveLength(1);
    const events = await lab.events();
    const asked = events.findIndex(({ type }) => type === 'packet.requested');
    expect(steps(events.slice(asked))).not.toContain('signal.observed');
    expect((await lab.head()).state.signals).toEqual([]);
    // The same words in any other turn are heard: that is what would unlock the tier.
    await append(lab, assistant(PACKET));
    expect((await lab.head()).state.signals).toEqual([
      'topic_shift',
      'agent_done',
      'concluding_thought',
    ]);
  });
});

describe('packets that start a turn', () => {
  it.each(['watcher', 'agent'] as const)(
    'RW-87, RW-123: author %s: turns of few words ask for no second compaction',
    async (packet_author) => {
      // What is protected keeps the context below the line, packet or not.
      const lab = await atTurnEnd({ packet_author, protected_messages: 3 }, [
        user('Fix the parser.'),
        assistant(ofTokens(10_000)),
        user('And the changelog.'),
        assistant(ofTokens(36_000)),
        assistant('It is done.'),
      ]);
      await signal(lab, 'turn_complete');
      if (packet_author === 'agent') await append(lab, assistant(PACKET));
      await work(lab);
      for (let turn = 0; turn < 5; turn++) {
        await append(lab, assistant('It is done. Next steps: none.'));
        const { percent_remaining_of_window, compaction } = await signal(lab, 'turn_complete');
        expect(percent_remaining_of_window).toBeLessThan(65);
        expect(compaction).toBeNull();
      }
      const requests = (await lab.events()).filter(({ type }) => type === 'compaction.requested');
      expect(requests).toHaveLength(1);
    },
  );

  it('RW-129: the loop is no must: once there is enough that is new, it compacts again', async () => {
    const lab = await atTurnEnd();
    await signal(lab, 'turn_complete');
    await work(lab);
    await append(lab, assistant(`It is done. ${ofTokens(40_000)}`));
    expect((await signal(lab, 'turn_complete')).compaction).not.toBeNull();
  });
});
