import OpenAI from 'openai';
import type { CompactedResponse, ResponseInputItem } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpaqueContent } from '../../src/app/opaque-content.ts';
import { type ApiServer, startApi } from '../support/api-server.ts';
import { ofTokens } from '../support/items.ts';

const SECRET = 'a secret of thirty-two characters';

describe('D4: what Codex sends after a compaction is not doubled', () => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await startApi({ compactionSecret: SECRET });
  });
  afterAll(() => api.close());

  const message = (role: 'user' | 'developer', text: string): ResponseInputItem => ({
    type: 'message',
    role,
    content: [{ type: 'input_text', text }],
  });
  const compact = (input: ResponseInputItem[]) =>
    new OpenAI({ baseURL: `${api.url}/v1`, apiKey: 'any', maxRetries: 0 }).responses.compact({
      model: 'gpt-5.4',
      input,
    });

  async function contentOf({ output }: CompactedResponse): Promise<string> {
    const item = output.at(-1);
    if (item?.type !== 'compaction') throw new Error('there is no compaction item');
    const opaque = new OpaqueContent(SECRET, []);
    return JSON.stringify((await opaque.open('local', item.encrypted_content, 1_000_000)).items);
  }

  const BASE = `You are a coding agent. ${'Follow the rules of the house. '.repeat(400)}`;
  const environment = (date: string) =>
    message(
      'user',
      `<environment_context>\n  <cwd>/home/u/p</cwd>\n  <date>${date}</date>\n</environment_context>`,
    );
  const opening = (date: string) => [
    message('developer', BASE),
    environment(date),
    message('user', 'Read the logs and tell me why the nightly build fails.'),
  ];
  const work = (id: string): ResponseInputItem[] => [
    { type: 'function_call', call_id: id, name: 'shell', arguments: '{"command":["cat","x.log"]}' },
    { type: 'function_call_output', call_id: id, output: `no space left ${ofTokens(2_000)}` },
  ];

  const rules = (text: string) =>
    message(
      'user',
      `# AGENTS.md instructions for /home/u/p\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`,
    );

  it('with the instructions of a project that have changed since', async () => {
    const old = [rules('Use tabs. OLD RULE'), environment('2026-11-01')];
    const answer = await compact([...old, ...opening('2026-11-01').slice(2), ...work('c0')]);
    const ours = answer.output.at(-1);
    if (ours?.type !== 'compaction') throw new Error('there is no compaction item');
    const { type, encrypted_content } = ours;
    const next = [rules('Use spaces. NEW RULE'), environment('2026-11-02')];
    const again = await compact([...next, { type, encrypted_content }, ...work('c1')]);
    const content = await contentOf(again);
    expect(content).not.toContain('OLD RULE');
    expect(content).not.toContain('2026-11-01');
  });

  it('round after round, with an environment that is written anew', async () => {
    let answer = await compact([...opening('2026-11-01'), ...work('c0')]);
    const sizes: number[] = [];
    for (let round = 1; round <= 4; round++) {
      // As Codex builds its next input: the base, the surroundings, the user's words, our item.
      const ours = answer.output.at(-1);
      if (ours?.type !== 'compaction') throw new Error('there is no compaction item');
      const { type, encrypted_content } = ours;
      answer = await compact([
        ...opening(`2026-11-0${round + 1}`),
        { type, encrypted_content },
        ...work(`c${round}`),
      ]);
      const content = await contentOf(answer);
      sizes.push(content.length);
      expect(content.split('You are a coding agent.').length - 1).toBe(1);
      expect(content.split('why the nightly build fails').length - 1).toBeLessThanOrEqual(3);
      expect(content).not.toContain('<date>2026-11-01');
    }
    expect(Math.max(...sizes)).toBeLessThan(Math.min(...sizes) * 1.3);
  });
});
