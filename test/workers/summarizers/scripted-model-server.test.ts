import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, status } from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';

/** The official clients prove that the test server speaks the providers' languages. */
describe('scripted model server', () => {
  let server: ScriptedModelServer;
  let openai: OpenAI;
  let anthropic: Anthropic;
  beforeAll(async () => {
    server = await ScriptedModelServer.start();
    openai = new OpenAI({ apiKey: 'k', baseURL: server.openaiUrl, maxRetries: 0 });
    anthropic = new Anthropic({ apiKey: 'k', baseURL: server.anthropicUrl, maxRetries: 0 });
  });
  afterAll(() => server.close());

  const messages = [{ role: 'user' as const, content: 'Look at src/db/store.ts.' }];

  it('answers chat completions', async () => {
    server.script(answer('whole'));
    const reply = await openai.chat.completions.create({ model: 'm', messages });
    expect(reply.choices[0]?.message.content).toBe('whole');
    expect(reply.usage?.total_tokens).toBe(8);
  });

  it('answers responses, whole and streamed', async () => {
    server.script(answer('whole'), answer('streamed in several chunks of text'));
    const whole = await openai.responses.create({ model: 'm', input: 'hello' });
    expect(whole.output_text).toBe('whole');
    let text = '';
    let total = 0;
    for await (const event of await openai.responses.create({
      model: 'm',
      input: 'hello',
      stream: true,
    })) {
      if (event.type === 'response.output_text.delta') text += event.delta;
      if (event.type === 'response.completed') total = event.response.usage?.total_tokens ?? 0;
    }
    expect(text).toBe('streamed in several chunks of text');
    expect(total).toBe(11);
  });

  it('answers Anthropic messages, whole and streamed', async () => {
    server.script(answer('whole'), answer('streamed in several chunks of text'));
    const body = { model: 'm', max_tokens: 10, messages };
    expect((await anthropic.messages.create(body)).content).toMatchObject([{ text: 'whole' }]);
    const final = await anthropic.messages.stream(body).finalMessage();
    expect(final.content).toMatchObject([{ text: 'streamed in several chunks of text' }]);
    expect(final.stop_reason).toBe('end_turn');
    expect(final.usage.output_tokens).toBe(9);
  });

  it('makes the same summary of the same request', async () => {
    const ask = () => openai.chat.completions.create({ model: 'm', messages });
    const first = (await ask()).choices[0]?.message.content;
    expect(first).toContain('- src/db/store.ts');
    expect(first).toContain('9. Optional next step:');
    expect((await ask()).choices[0]?.message.content).toBe(first);
  });

  it('fails as asked and refuses paths that it does not know', async () => {
    server.script(status(429, { retryAfter: 2 }));
    const failed = openai.chat.completions.create({ model: 'm', messages });
    await expect(failed).rejects.toMatchObject({ status: 429 });
    await expect(openai.models.list()).rejects.toThrow();
  });
});
