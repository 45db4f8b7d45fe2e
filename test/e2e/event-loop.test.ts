import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Probed, probed } from '../support/health-prober.ts';
import { hostileSteps } from '../support/hostile-sessions.ts';
import { atScale } from '../support/scale.ts';
import type { Variables } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

const context = z.object({ format: z.string(), items: z.array(z.json()), tokens: z.number() });

/**
 * The time that /healthz takes says little on a machine that others use too. So the same sessions are
 * played twice in the same run, with threads and without any: what was taken off the event loop shows
 * in the quotient, whatever else the machine does.
 */
describe('hostile sessions', () => {
  let withThreads: Probed[];
  let inline: Probed[];
  beforeAll(async () => {
    withThreads = await play({});
    inline = await play({ PALIMPSEST_THREADS: '0' });
  }, 600_000);

  it('hold up nobody else', () => {
    expect(longest(withThreads)).toBeLessThan(longest(inline) / 2);
  });

  it('are answered as they are without threads', () => {
    // Not their versions: a compaction may have been requested before one and after the other.
    const contexts = (taken: Probed[]) =>
      taken
        .filter(({ what }) => what.startsWith('read the context as'))
        .map(({ answer }) => context.parse(answer));
    expect(contexts(withThreads)).toHaveLength(3);
    expect(contexts(withThreads)).toEqual(contexts(inline));
  });

  async function play(variables: Variables): Promise<Probed[]> {
    const service = await startService({
      PALIMPSEST_SUMMARIZATION_MODEL: 'extractive',
      ...variables,
    });
    try {
      return await probed(
        service.url,
        hostileSteps({ posts: atScale({ brief: 1, short: 1, long: 6 }) }),
      );
    } finally {
      await service.dispose();
    }
  }

  function longest(taken: Probed[]): number {
    return Math.max(...taken.map(({ longest_ms }) => longest_ms));
  }
});
