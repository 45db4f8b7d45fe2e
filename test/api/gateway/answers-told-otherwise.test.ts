import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

it('an answer said aloud is the same where the client tells it by its id', async () => {
  const audio = { id: 'audio_1', data: 'UklGRg==', expires_at: 1, transcript: 'It is the port.' };
  const message = { role: 'assistant', content: null, refusal: null, audio };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  lab.provider.verbatim.push({ id: 'c1', object: 'chat.completion', choices });
  const asked = { role: 'user', content: 'What is wrong?' };
  const body = (...messages: object[]) => ({ model: 'm', modalities: ['text', 'audio'], messages });
  const { session } = await lab.post('/v1/chat/completions', body(asked));
  await expect.poll(() => lab.items(session)).toHaveLength(2);
  const told = { role: 'assistant', audio: { id: 'audio_1' } };
  const more = { role: 'user', content: 'And now?' };
  const next = await lab.post('/v1/chat/completions', body(asked, told, more));
  expect(next.session).toBe(session);
  await expect.poll(() => lab.items(session)).toHaveLength(4);
  const types = (await lab.events(session)).map(({ type }) => type);
  expect(types).not.toContain('item.superseded');
  expect(JSON.stringify(await lab.items(session))).toContain('It is the port.');
});

it('what goes on from an answer in the background goes on as it came: no log has that answer', async () => {
  const begun = {
    id: 'resp_1',
    object: 'response',
    status: 'queued',
    output: [],
    background: true,
  };
  lab.provider.verbatim.push(begun);
  const first = { model: 'm', input: 'One', background: true };
  const { session } = await lab.post('/v1/responses', first, { 'x-palimpsest-session': 'mine' });
  await expect.poll(() => lab.items(session)).toHaveLength(1);
  const body = { model: 'm', input: 'Two', previous_response_id: 'resp_1' };
  const next = await lab.post('/v1/responses', body);
  expect(next.headers.get('palimpsest-status')).toBe('bypassed; reason=unknown_answer');
  expect(lab.provider.received.at(-1)?.body).toEqual(body);
});
