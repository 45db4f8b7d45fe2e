import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Gateway, type GatewayDeps } from '../../../src/app/gateway/gateway.ts';
import { Recordings } from '../../../src/app/gateway/recordings.ts';
import type { TurnAsked } from '../../../src/app/gateway/turn-request.ts';

/** How long a request is held by threads that have too much to do. */

const request: TurnAsked = {
  protocol: 'messages',
  tenant: 'local',
  upstream: 'anthropic',
  owner: '',
  headers: {},
  fresh_id: 'gw-1',
  body: Buffer.from('{"messages":[{"role":"user","content":"Hello"}]}'),
};
const never = () => new Promise<never>(() => {});
const shorter = { ok: true, value: { kind: 'revised', body: '{"shorter":1}' } } as const;

/** A gateway whose threads do not come to the plan of a turn. */
function gatewayOf(revise: () => Promise<unknown>): Gateway {
  const deps = {
    plan: never,
    revise,
    recordings: new Recordings(),
    onTurn: () => {},
    log: { error: () => {} },
  };
  // Nothing else is asked for on the way.
  return new Gateway(deps as unknown as GatewayDeps);
}

describe('a turn that the threads do not come to', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const turnOf = (gateway: Gateway, body = request.body) => {
    const ended = vi.fn();
    void gateway.turn({ ...request, body }, new AbortController().signal).then(ended);
    return ended;
  };

  it('goes on as it came soon after it has timed out', async () => {
    const ended = turnOf(gatewayOf(never));
    await vi.advanceTimersByTimeAsync(14_000);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(ended).toHaveBeenCalledWith({ kind: 'bypass', body: null, reason: 'timeout' });
  });

  it('is shortened from itself where that is done at once', async () => {
    const ended = turnOf(gatewayOf(async () => shorter));
    await vi.advanceTimersByTimeAsync(15_000);
    const body = shorter.value.body;
    expect(ended).toHaveBeenCalledWith({ kind: 'bypass', body, reason: 'timeout' });
  });

  it('is waited for where it holds what only this service can open', async () => {
    const ours = Buffer.from('{"input":[{"type":"compaction","encrypted_content":"pal1.AAAA"}]}');
    const ended = turnOf(gatewayOf(never), ours);
    await vi.advanceTimersByTimeAsync(18_000);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(ended).toHaveBeenCalledWith({ kind: 'bypass', body: null, reason: 'timeout' });
  });
});
