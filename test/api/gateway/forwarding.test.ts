import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const turns = [
  ['/v1/messages', { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }],
  ['/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }],
  ['/v1/responses', { model: 'm', input: 'Hello' }],
] as const;

describe.each(turns)('%s', (path, body) => {
  it.each([false, true])(
    'goes upstream byte for byte and is recorded (stream: %s)',
    async (stream) => {
      const raw = `  ${JSON.stringify({ ...body, stream, unknown: 1.0 }, null, 1).replace('1\n', '1.0\n')}`;
      const answer = await lab.post(path, raw, { authorization: 'Bearer sk-their-own' });
      expect(answer.status).toBe(200);
      expect(lab.provider.received[0]?.raw.toString()).toBe(raw);
      expect(lab.provider.received[0]?.headers.authorization).toBe('Bearer sk-their-own');
      expect(answer.headers.get('palimpsest-status')).toBe('forwarded');
      expect(answer.headers.get('palimpsest-version')).toMatch(/^\d+$/);
      await expect.poll(() => lab.items(answer.session)).toHaveLength(2);
      const [, said] = await lab.items(answer.session);
      expect(JSON.stringify(said)).toContain('Done.');
      expect(lab.provider.invalid).toEqual([]);
    },
  );
});

describe('/v1/sessions', () => {
  const items = [{ role: 'user', content: 'For nobody else.' }];

  it('is the API of this service, written wrong: nothing of it goes to OpenAI', async () => {
    const answer = await lab.post('/v1/sessions/s/items', items);
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toMatchObject({
      error: { message: 'the API of this service is not below /v1: ask for /sessions/s/items' },
    });
    expect(lab.provider.received).toEqual([]);
  });

  it('goes to those who have such a path: Anthropic, and upstreams of the operator', async () => {
    await lab.post('/v1/sessions', {}, { 'anthropic-version': '2023-06-01' });
    await lab.post('/u/other/v1/sessions', {});
    expect(lab.provider.received.map(({ url }) => url)).toEqual(['/v1/sessions', '/v1/sessions']);
  });
});

it.each([
  ['/openai', 'openai'],
  ['/u/other/openai', 'other'],
])('serves %s/v1 as well, where the SDK of Groq asks', async (base, upstream) => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
  const answer = await lab.post(`${base}/v1/chat/completions`, body);
  expect(answer.status, answer.text).toBe(200);
  expect(lab.provider.received[0]?.url).toBe('/v1/chat/completions');
  const events = await lab.events(answer.session);
  expect(events[0]?.data).toMatchObject({ metadata: { gateway: { upstream } } });
});
