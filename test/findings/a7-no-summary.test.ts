import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { SessionClient } from '../e2e/api-client.ts';
import { Speaker, turns } from '../e2e/conversation.ts';
import { answer, truncated } from '../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

const NO_SUMMARIES: [name: string, text: string, words: string][] = [
  ['a word', 'OK.', 'sections that were asked for'],
  ['dots', '...', 'holds no summary'],
  ['a refusal', "I'm sorry, I can't help with that.", 'declines'],
  ['a refusal in German', 'Es tut mir leid, dabei kann ich nicht helfen.', 'declines'],
  ['a refusal in Chinese', '抱歉，我无法协助处理这个请求。', 'declines'],
  ['nothing in tags', '<summary>None</summary>', 'sections that were asked for'],
  [
    'an analysis alone (control: it never counted)',
    '<analysis>The user wants a parser.</analysis>',
    'holds no summary',
  ],
  ['a promise', 'Sure! Here is the summary that you asked for.', 'sections'],
  [
    'a question with bold lines',
    'I would be happy to help! Could you tell me more?\n**File**\n**Language**\n**Version**\n' +
      '**Runner**\n**System**\nOnce I know these I can get going with it right away, and I will do ' +
      'the rest of the work for you as soon as you have told me what you would like to see first.',
    'asks back',
  ],
  [
    'a call in tags',
    '<function_calls>\n<invoke>\n<command>\nls -la src && cat package.json && npm test\n' +
      '<parameter>\n<timeout>\n<workdir>\n/home/user/project/src/with/a/path/of/many/folders\n',
    'calls a tool',
  ],
  [
    'a polite refusal with headings',
    'Thank you for sharing this conversation.\n\nI cannot summarize it.\n# A\n# B\n# C\n# D\n# E\n' +
      'Please contact support if you think that this is a mistake, and provide your request id.',
    'declines',
  ],
  ['a loop', 'The user asked for it again. '.repeat(200), 'repeats itself'],
  [
    'empty sections',
    Array.from({ length: 9 }, (_, n) => `## ${n + 1}. Part ${n}\nNone`).join('\n'),
    'too little',
  ],
];

describe('A7: any text counts as a summary', () => {
  let model: ScriptedModelServer;
  let service: ServiceProcess;
  let sessions = 0;
  beforeAll(async () => {
    model = await ScriptedModelServer.start();
    service = await startService({
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.openaiUrl,
      PALIMPSEST_SUMMARIZATION_MODEL: 'openai/test-model',
    });
  });
  afterEach(() => model.forget());
  afterAll(async () => {
    await service.dispose();
    await model.close();
  });

  async function conversation(profile: string, config: JsonObject = {}): Promise<SessionClient> {
    sessions += 1;
    const session = await SessionClient.create(() => service.url, {
      id: `a7-${sessions}`,
      format: 'anthropic',
      profile,
      context_window: 200_000,
      config: { protected_messages: null, protected_tokens: null, ...config },
    });
    await session.append(turns(new Speaker('anthropic'), 'turn', 6, 1_500));
    return session;
  }

  async function failures(session: SessionClient, id: string): Promise<JsonObject[]> {
    return (await session.events())
      .filter(({ type, data }) => type === 'compaction.failed' && data.compaction_id === id)
      .map(({ data }) => data);
  }

  it.each(NO_SUMMARIES)('%s is asked for again, then the log tells', async (_name, text, words) => {
    const session = await conversation('claude-code', { summarizer_max_attempts: 2 });
    model.script(answer(text), answer(text));
    const ended = await session.compact({ mode: 'full' });
    const failed = await failures(session, ended.id);
    expect(failed.map(({ reason }) => reason)).toEqual(['no_summary', 'no_summary']);
    expect(failed[0]?.message).toContain(words);
    expect(await session.compaction(ended.id)).toMatchObject({
      outcome: 'full_compacted',
      summarizer: 'extractive',
    });
  });

  it.each(['claude-code', 'codex-v2', 'rawr', 'tiered', 'codex-classic', 'default'])(
    'profile %s leaves the context alone where nothing may take the place of the model',
    async (profile) => {
      const session = await conversation(profile, {
        summarizer_fallback: [],
        summarizer_max_attempts: 2,
      });
      const before = await session.context();
      model.script(answer('OK.'), answer('OK.'));
      const ended = await session.compact({ mode: 'full' });
      expect(ended).toMatchObject({ outcome: 'failed', outcome_reason: 'no_summary' });
      expect((await session.context()).items).toEqual(before.items);
    },
  );

  it.each(['claude-code', 'codex-v2', 'rawr', 'tiered', 'codex-classic', 'default'])(
    'profile %s takes an answer with its sections on the first attempt, as before (control)',
    async (profile) => {
      const session = await conversation(profile);
      const ended = await session.compact({ mode: 'full' });
      expect(await session.compaction(ended.id)).toMatchObject({
        outcome: 'full_compacted',
        summarizer: 'model',
      });
      expect(await failures(session, ended.id)).toEqual([]);
    },
  );

  it('an answer that was cut off in the middle is asked for once more', async () => {
    const session = await conversation('claude-code');
    const cut = '<summary>\n1. Primary request and intent: the parser.\n2. Key technical';
    model.script(truncated(cut), truncated(cut));
    const ended = await session.compact({ mode: 'full' });
    const failed = await failures(session, ended.id);
    expect(failed.map(({ message }) => message)).toEqual([
      expect.stringContaining('cut off'),
      expect.stringContaining('cut off'),
    ]);
  });

  it('the breaker counts it', async () => {
    const session = await conversation('claude-code', {
      summarizer_fallback: [],
      summarizer_max_attempts: 1,
      breaker_max_failures: 1,
      auto_compact_threshold: 5_000,
      micro_compact_enabled: false,
      min_new_tokens_between_compactions: 0,
    });
    model.script(...Array.from({ length: 8 }, () => answer('OK.')));
    await session.append(turns(new Speaker('anthropic'), 'more', 1, 1_500));
    await expect
      .poll(async () => (await session.events()).map(({ type }) => type))
      .toContain('breaker.opened');
  });

  it('without a session, too', async () => {
    const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'any', maxRetries: 0 });
    const words = (n: number) => Array.from({ length: 1_500 }, (_, i) => `word${n}x${i}`).join(' ');
    model.script(answer('OK.'), answer('OK.'), answer('OK.'));
    const asked = model.requests.length;
    const { output, usage } = await client.responses.compact({
      model: 'gpt-5.4',
      input: [
        { role: 'user', content: `Explain src/parser.ts. ${words(1)}` },
        { role: 'assistant', content: words(2) },
      ],
    });
    expect(model.requests.length - asked).toBe(3);
    expect(output.at(-1)?.type).toBe('compaction');
    expect(usage.input_tokens).toBeGreaterThan(0);
    // The summary from the log, not the model's word.
    const item = output.at(-1);
    expect(item?.type === 'compaction' && item.encrypted_content.length).toBeGreaterThan(300);
  });
});
