import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import { isJsonObject } from '../../src/domain/json.ts';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import type { EventOf } from '../../src/domain/session/events.ts';
import { summarizerFromModelName } from '../../src/workers/summarizers/registry.ts';
import { assistant, ofTokens, user } from '../support/items.ts';
import { answer, empty, tooLong } from '../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import { SessionLab } from '../support/session-lab.ts';
import { summaryAnswer } from '../support/summary-text.ts';

const GOOD = answer(summaryAnswer());

let server: ScriptedModelServer;
let lab: SessionLab;
beforeEach(async () => {
  server = await ScriptedModelServer.start();
});
afterEach(async () => {
  await lab.close();
  await server.close();
});

type Provider = 'anthropic/claude-haiku-4-5' | 'openai/gpt-4o-mini';

async function openLab(config: ConfigOverrides, provider: Provider = 'openai/gpt-4o-mini') {
  const session = { profile: 'codex-classic', context_window: 200_000, config } as const;
  lab = await SessionLab.open('anthropic', session);
  const environment = {
    ANTHROPIC_API_KEY: 'sk-x',
    ANTHROPIC_BASE_URL: server.anthropicUrl,
    OPENAI_API_KEY: 'sk-x',
    OPENAI_BASE_URL: server.openaiUrl,
  };
  lab.summarizer = summarizerFromModelName(provider, environment);
}

/** Turns one to `last` of about 200 tokens each. */
function turns(last: number): Item[] {
  return Array.from({ length: last }, (_, i) => [
    user(`Question ${i + 1}. ${ofTokens(50)}`),
    assistant(`Answer ${i + 1}. ${ofTokens(110)}`),
  ]).flat();
}

async function compactByCommand(...items: Item[]): Promise<EventOf<'compaction.completed'>> {
  const appended = await lab.append([...items, user('/compact')]);
  if (!appended.ok || appended.value.compaction === null) throw new Error('it requests nothing');
  await lab.work(appended.value.compaction.id);
  const completed = (await lab.events()).findLast(({ type }) => type === 'compaction.completed');
  if (completed?.type !== 'compaction.completed') throw new Error('it has not completed');
  return completed;
}

/** The texts of a request to the model, one for each message. */
function textsOf(body: unknown): string[] {
  if (!isJsonObject(body)) return [];
  const { system = [], input = [], messages = [] } = body;
  return [system, input, messages].flat().map((message) => {
    const content = isJsonObject(message) ? (message.content ?? message.text) : message;
    if (!Array.isArray(content)) return String(content);
    return content.map((part) => (isJsonObject(part) ? part.text : part)).join('');
  });
}

function lastPrompt(): string {
  return textsOf(server.requests.at(-1)?.body).at(-1) ?? '';
}

describe('codex-classic: the transcript in turns', () => {
  it.each<Provider>(['anthropic/claude-haiku-4-5', 'openai/gpt-4o-mini'])(
    'goes to %s as one message after the instructions, without tools',
    async (provider) => {
      server.script(GOOD);
      await openLab({}, provider);
      const { report, summary_text } = (await compactByCommand(...turns(3))).data;
      expect(server.requests).toHaveLength(1);
      const body = server.requests[0]?.body;
      expect(textsOf(body)).toHaveLength(2);
      expect(body).not.toHaveProperty('tools');
      expect(lastPrompt().match(/<record-turn number=/g)).toHaveLength(3);
      expect(lastPrompt()).not.toContain('/compact');
      expect(summary_text).toContain('All done so far.');
      expect(report).toMatchObject({ truncated_turns: 0, template: 'handoff@1' });
    },
  );

  it('counts the turns that do not fit, and clears or shortens nothing instead', async () => {
    server.script(GOOD);
    await openLab({ transcript_max_tokens: 1_000 });
    const { report } = (await compactByCommand(...turns(10))).data;
    expect(report.truncated_turns).toBe(6);
    expect(report.left_out).toEqual({
      cleared_results: 0,
      truncated_results: 0,
      dropped_items: 12,
    });
    expect(lastPrompt()).toContain('Question 7.');
    expect(lastPrompt()).not.toContain('Answer 6.');
  });

  it('drops more turns when the provider says that it is still too long', async () => {
    server.script(tooLong(), GOOD);
    await openLab({ transcript_max_tokens: 2_000 });
    const { report } = (await compactByCommand(...turns(10))).data;
    expect(server.requests).toHaveLength(2);
    expect(report.truncated_turns).toBeGreaterThan(4);
    expect(lastPrompt()).toContain('Question 10.');
  });

  it('carries the earlier summary along, however many turns go', async () => {
    server.script(GOOD, GOOD);
    await openLab({ transcript_max_tokens: 600 });
    await compactByCommand(...turns(4));
    const { report } = (await compactByCommand(...turns(8).slice(8))).data;
    expect(lastPrompt()).toContain('All done so far.');
    expect(lastPrompt()).toContain('Question 8.');
    // The one of the preserved messages, and two of the four new ones.
    expect(report.truncated_turns).toBe(3);
    expect(lastPrompt()).toMatch(/earlier summary.*<record-turn number="4">/s);
  });

  it('has no truncated turns without a model: the log is read as a whole', async () => {
    server.script(empty(), empty(), empty());
    await openLab({ transcript_max_tokens: 500, summarizer_max_attempts: 1 });
    const { report } = (await compactByCommand(...turns(10))).data;
    expect(report).toMatchObject({ summarizer: 'extractive', truncated_turns: 0 });
  });
});
