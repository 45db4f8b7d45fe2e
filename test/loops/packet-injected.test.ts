import { afterEach, describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import { observeSignal } from '../../src/domain/session/observe-signal.ts';
import { receivePacket } from '../../src/domain/session/packet-commands.ts';
import { loadTemplates } from '../../src/workers/templates.ts';
import { assistant, ofTokens, user } from '../support/items.ts';
import { SessionLab } from '../support/session-lab.ts';

/** Loop surfaces L2 and L3 with the real worker, which writes and injects the packets. */

const PROMPT = loadTemplates().packet;
const PACKET = 'Completed: the parser. Next steps: moving on to the docs.';

let lab: SessionLab;
afterEach(() => lab.close());

/** A session at the end of its first turn, with messages that no compaction shortens. */
async function open(config: ConfigOverrides): Promise<void> {
  lab = await SessionLab.open('anthropic', {
    profile: 'rawr',
    context_window: 40_000,
    initial_context: [user(ofTokens(2_500))],
    config: { protected_tokens: 10_000, ...config },
  });
  await lab.append([
    user('Write the parser.'),
    assistant(ofTokens(3_000)),
    user(ofTokens(9_000)),
    assistant('It is done.'),
  ]);
}

/** Ends the turn, and lets the worker do what follows; answers whether it had something to do. */
async function endTurn(packet: string | null): Promise<boolean> {
  const now = lab.now();
  const clock = { now_ms: now.getTime(), at: now.toISOString() };
  const command = { signal: 'turn_complete', compaction_id: lab.newId(), ...clock } as const;
  await lab.commit(observeSignal(lab.world, { ...command, packet_prompt: PROMPT }));
  if (packet !== null) {
    const compaction_id = lab.newId();
    await lab.commit(receivePacket(lab.world, { compaction_id, text: packet }));
  }
  const { running } = (await lab.head()).state;
  if (running !== null) await lab.work(running.id);
  return running !== null;
}

async function countOf(type: string): Promise<number> {
  return (await lab.events()).filter((event) => event.type === type).length;
}

describe.each([
  ['watcher', null],
  ['agent', PACKET],
] as const)('a packet of the %s', (packet_author, text) => {
  it('L2: sets no boundary when it is injected', async () => {
    await open({ packet_author });
    expect(await endTurn(text)).toBe(true);
    const events = await lab.events();
    expect(events.at(-1)).toMatchObject({ data: { source: 'packet' } });
    expect((await lab.head()).state.signals).toEqual([]);
    // The only text that was listened to is that of the first turn.
    expect(
      events.flatMap((event) =>
        event.type === 'signal.observed' && event.data.source === 'derived'
          ? [event.data.signal]
          : [],
      ),
    ).toEqual(['agent_done']);
  });

  it('L3: starts turns at whose ends the context is still low, and nothing is compacted again', async () => {
    await open({ packet_author });
    await endTurn(text);
    const { state } = await lab.head();
    // Still inside the tier that acts at once, so that only the loop guard stands in the way.
    expect(state.tokens * 1.33).toBeGreaterThan(40_000 * 0.4);
    expect(state.tokens_since_compaction).toBe(0);
    for (let turn = 0; turn < 10; turn++) {
      await lab.append([assistant('It is done. Next steps: none.')]);
      expect(await endTurn(null)).toBe(false);
    }
    expect(await countOf('compaction.requested')).toBe(1);
    expect(await countOf('packet.requested')).toBe(packet_author === 'agent' ? 1 : 0);
  });
});
