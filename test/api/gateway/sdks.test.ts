import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toldText } from '../../../src/domain/items/told-text.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';
import type { Received } from '../../support/gateway/provider.ts';
import { SDKS, taskScript } from '../../support/gateway/sdk-task.ts';
import { atScale } from '../../support/scale.ts';

const WINDOW = 30_000;

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
  lab.provider.script = taskScript();
  lab.provider.window = WINDOW;
});
afterEach(() => lab.close());

const EACH = [
  { protocol: 'messages', stream: false },
  { protocol: 'chat', stream: true },
  { protocol: 'responses', stream: false },
] as const;
const OTHER_WAY = EACH.map(({ protocol, stream }) => ({ protocol, stream: !stream }));
const CASES = [...EACH, ...OTHER_WAY.slice(0, atScale({ brief: 0, short: 3, long: 3 }))];

describe('an official SDK', () => {
  it.each(CASES)(
    'of $protocol works through a task ten times as long as its window (stream: $stream)',
    async ({ protocol, stream }) => {
      const headers = { 'x-palimpsest-context-window': String(WINDOW) };
      const text = await SDKS[protocol]({ url: lab.url, stream, headers });
      expect(text).toBe('The build fails because of a missing file.');
      const { turns, invalid } = lab.provider;
      expect(invalid).toEqual([]);
      expect(turns.every(({ tokens }) => tokens <= WINDOW)).toBe(true);
      const [session] = (await lab.api.deps.store.sessions('local', { limit: 5 })).data;
      // One session, without any header that names it.
      expect((await lab.api.deps.store.sessions('local', { limit: 5 })).data).toHaveLength(1);
      const logged = JSON.stringify(await lab.items(session?.ref.session_id ?? ''));
      expect(logged.length / 4).toBeGreaterThan(7 * WINDOW);
      expect(logged).toContain('logs/night-2.log:249 step');
      const state = session?.head.state.compactions;
      const compactions = (state?.full ?? 0) + (state?.micro ?? 0);
      expect(compactions).toBeGreaterThan(3);
      expect(breaksOf(turns)).toBeLessThanOrEqual(compactions);
    },
    // Ten times as long on a machine that does much else.
    180_000,
  );
});

/** How many requests do not go on from the one before. */
function breaksOf(turns: readonly Received[]): number {
  return turns.filter(({ history }, index) => {
    const before = turns[index - 1]?.history ?? [];
    return before.some((item, place) => toldText(item) !== toldText(history[place] ?? {}));
  }).length;
}
