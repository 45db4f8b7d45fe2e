import { afterEach, describe, expect, it } from 'vitest';
import { PROFILES } from '../../src/domain/policy/profiles.ts';
import { post } from '../loops/post.ts';
import { assistant, tool, user } from '../support/items.ts';
import { SessionLab } from '../support/session-lab.ts';

describe('B6: clearing in steps that pay', () => {
  let lab: SessionLab;
  afterEach(() => lab.close());

  const CLEARING = PROFILES.filter((profile) => profile === 'default' || profile === 'tiered');

  it.each(CLEARING)('%s: no small result is cleared, and no step is small', async (profile) => {
    const session = { profile, context_window: 32_000, config: {}, model: null };
    lab = await SessionLab.open('anthropic', session);
    await lab.append([user('Find the flag that is never read.')]);
    for (let n = 0; n < 400; n++) {
      const size = n % 5 === 0 ? 900 : 78;
      const name = n % 2 === 0 ? 'Bash' : 'mcp__code__grep';
      await post(lab, ...tool(`t${n}`, name, size), assistant(`Looked at ${n}.`));
    }
    const micros = (await lab.events()).flatMap((event) =>
      event.type === 'compaction.micro_completed' ? [event.data] : [],
    );
    expect(micros.length).toBeGreaterThan(2);
    const edits = micros.flatMap((micro) => micro.edits);
    expect(Math.min(...edits.map(({ tokens_before }) => tokens_before))).toBeGreaterThanOrEqual(
      200,
    );
    for (const { tokens_before, tokens_after } of micros) {
      expect(tokens_before - tokens_after).toBeGreaterThanOrEqual(32_000 / 50);
    }
  });
});
