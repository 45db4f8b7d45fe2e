import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { longBodies } from '../../support/gateway/long-bodies.ts';
import { LENGTHY } from '../../support/gateway/provider.ts';

const LOGS = 10;

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

describe.each(longBodies(LOGS))('a prompt that is too long behind a 200, %s', (path, body) => {
  it.each([true, false])('is compacted and sent once more (stream: %s)', async (stream) => {
    lab.provider.troubles.push('too_long_after_all');
    const answer = await lab.post(path, { ...body, stream });
    expect(answer.headers.get('palimpsest-status')).toMatch(/^compacted; saved=\d{4,}$/);
    expect(answer.text).toContain('Done.');
    expect(answer.text).not.toMatch(/too long|context_length/);
    expect(lab.provider.received).toHaveLength(2);
    expect(lab.provider.invalid).toEqual([]);
    // What has failed is no part of the conversation.
    await expect.poll(async () => (await lab.items(answer.session)).at(-1)?.role).toBe('assistant');
    expect(JSON.stringify(await lab.items(answer.session))).not.toContain('context_length');
  });

  it('is not looked for behind the first 64 KB of a refusal, which is handed on', async () => {
    lab.provider.troubles.push('refuse_at_length');
    const answer = await lab.post(path, body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error.message).toBe(`${LENGTHY}prompt is too long`);
    expect(lab.provider.received).toHaveLength(1);
  });

  it('is handed on where it is too long again', async () => {
    lab.provider.troubles.push('too_long_after_all', 'too_long_after_all');
    const answer = await lab.post(path, { ...body, stream: true });
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/too long|context_length/);
    expect(lab.provider.received).toHaveLength(2);
  });

  it('costs an answer that is none of it nothing', async () => {
    const answer = await lab.post(path, { ...body, stream: true });
    expect(answer.text).toContain('Done.');
    await expect.poll(() => lab.items(answer.session)).toHaveLength(1 + 2 * LOGS + 1);
    expect(lab.provider.received).toHaveLength(1);
  });
});
