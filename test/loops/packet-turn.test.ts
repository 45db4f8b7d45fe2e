import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../src/domain/session/events.ts';
import { assistant, ofTokens, user } from '../support/items.ts';
import { PACKET_PROMPT, PureSession } from '../support/pure-session.ts';

const PACKET =
  'Completed: the parser. The rest is done as well. Next steps: moving on to the docs.';

/** What a completed compaction appends. */
function packetItem(tokens: number): NewEvent {
  const item = user(`${PACKET} ${ofTokens(tokens)}`, { is_meta: true });
  return { type: 'item.appended', data: { item, tokens, source: 'packet' } };
}

function signalsOf(session: PureSession) {
  return session.head.state.signals;
}

describe('L2 heuristics that fulfil themselves: the text of a packet speaks of boundaries', () => {
  it('ends there: the answer that is taken as the packet is not listened to', () => {
    const session = new PureSession({ packet_author: 'agent' });
    session.signal('turn_started');
    session.fillTo(60);
    session.signal('commit');
    session.signal('turn_complete');
    session.append(user(PACKET_PROMPT.text, { is_meta: true }), assistant(PACKET));
    expect(session.head.state.running?.packet).toMatchObject({ author: 'agent' });
    expect(signalsOf(session)).toEqual([]);
    // The client says it once more while the compaction runs.
    session.append(assistant(PACKET));
    expect(signalsOf(session)).toEqual([]);
  });

  it('ends there: neither the injected packet nor any synthetic message is listened to', () => {
    const session = new PureSession();
    session.push(packetItem(50));
    session.append(user(PACKET, { is_meta: true }), assistant(PACKET, { is_meta: true }));
    expect(signalsOf(session)).toEqual([]);
    expect(session.count('signal.observed')).toBe(0);
  });

  it('listens again in the turn that follows the packet', () => {
    const session = new PureSession();
    session.push(packetItem(50));
    session.append(assistant('The docs are done.'));
    expect(signalsOf(session)).toEqual(['agent_done']);
  });
});

describe('L3 watcher loop edge: inject packet, run another turn, still below the line', () => {
  it('ends after the first: the packet is not new, and the turn is too short', () => {
    const session = new PureSession();
    session.signal('turn_started');
    session.fillTo(60);
    for (let i = 0; i < 20; i++) {
      session.append(assistant('It is done. Next steps: none.'));
      if (session.signal('turn_complete').value.compaction !== null) {
        // It helps so little that the watcher would act again.
        session.complete(session.head.state.tokens - 1_500);
        session.push(packetItem(4_000));
      }
    }
    expect(session.count('compaction.requested')).toBe(1);
  });

  it('ends after three with long turns: the breaker opens', () => {
    const session = new PureSession();
    session.signal('turn_started');
    session.fillTo(60);
    for (let i = 0; i < 20; i++) {
      session.append(assistant(`It is done. ${ofTokens(3_000)}`));
      if (session.signal('turn_complete').value.compaction !== null) {
        session.complete(session.head.state.tokens - 2_500);
        session.push(packetItem(500));
      }
    }
    expect(session.count('compaction.requested')).toBe(3);
    expect(session.count('breaker.opened')).toBe(1);
  });
});
