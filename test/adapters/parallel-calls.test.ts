import { generateText, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { expect, it } from 'vitest';
import { palimpsest } from '../../src/adapters/ai-sdk.ts';
import { conversation } from '../../src/adapters/conversation.ts';
import { createClient } from '../../src/client/client.ts';

/** Characters of a text for each token that this service counts. */
const PER_TOKEN = 4;

type Body = { items?: { content: { text: string }[] }[]; overhead?: number };

/** A client of a service that answers each history as it came, and the bodies that it was sent. */
function echoing(hold: (path: string) => Promise<void> = async () => {}) {
  const bodies: Body[] = [];
  const client = createClient({
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const body: Body = JSON.parse(await request.text());
      await hold(pathname);
      if (!pathname.endsWith('/sync')) return Response.json({}, { status: 201 });
      bodies.push(body);
      const { items = [] } = body;
      const tokens = JSON.stringify(items).length / PER_TOKEN;
      const context = { tokens, items: items.map((item) => ({ item })) };
      return Response.json({ session_id: 's', context });
    },
  });
  return { client, bodies };
}

it('a call tells nothing of another one that is under way', async () => {
  const { client, bodies } = echoing();
  let answerLong = () => {};
  const longAnswers = new Promise<void>((resolve) => {
    answerLong = resolve;
  });
  const model = wrapLanguageModel({
    middleware: palimpsest({ session: 's', client }),
    model: new MockLanguageModelV3({
      doGenerate: async ({ prompt }) => {
        const { length } = JSON.stringify(prompt);
        if (length > 10_000) await longAnswers;
        const total = Math.ceil(length / PER_TOKEN);
        return {
          content: [{ type: 'text' as const, text: 'Done.' }],
          finishReason: { unified: 'stop' as const, raw: 'stop' },
          usage: {
            inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 1, text: 1, reasoning: 0 },
          },
          warnings: [],
        };
      },
    }),
  });
  const long = generateText({ model, prompt: 'All of the log. '.repeat(10_000) });
  await expect.poll(() => bodies.length).toBeGreaterThan(0);
  await generateText({ model, prompt: 'A title, please.' });
  answerLong();
  await long;
  bodies.length = 0;
  await generateText({ model, prompt: 'Go on.' });
  // Some words around each message, and by far not the tokens of the long one.
  expect(bodies[0]?.overhead ?? 0).toBeLessThan(100);
});

it('a call that is given up while the session is created ends at once', async () => {
  const { client } = echoing(async (path) => {
    if (path === '/sessions') await new Promise(() => {});
  });
  const { contextOf } = conversation({ session: 's', client }, 'anthropic');
  const controller = new AbortController();
  const items = [{ role: 'user', content: 'Hello.' }];
  const asked = contextOf(items, { messagesOf: () => [], signal: controller.signal });
  controller.abort(new Error('given up'));
  await expect(asked).rejects.toThrow('given up');
});
