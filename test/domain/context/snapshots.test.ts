import { afterEach, describe, expect, it } from 'vitest';
import { renderEntries } from '../../../src/domain/context/render.ts';
import type { Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { NewSession } from '../../../src/domain/session/create-session.ts';
import type { Mode } from '../../../src/domain/session/events.ts';
import { revertCommand, revertCompactions } from '../../../src/domain/session/revert-compaction.ts';
import { summarizerFromModelName } from '../../../src/workers/summarizers/registry.ts';
import {
  assistant,
  attachment,
  GHOST,
  ofTokens,
  PROGRESS,
  tool,
  user,
} from '../../support/items.ts';
import { renderContext, renderItems } from '../../support/render-context.ts';
import { answer } from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import { SessionLab } from '../../support/session-lab.ts';
import { summaryText } from '../../support/summary-text.ts';

let server: ScriptedModelServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const CONFIG = {
  micro_compact_min_tokens_to_save: 100,
  micro_compact_keep_last_n_tools: 1,
  micro_compact_target_tokens: 0,
  min_new_tokens_between_compactions: 0,
};

/** A session on a real store whose summaries a scripted model writes: `Summary 1`, `Summary 2`, … */
async function openLab(format: Format, session: Partial<NewSession> = {}): Promise<SessionLab> {
  server = await ScriptedModelServer.start(
    ...[1, 2, 3].map((n) =>
      answer(
        `<analysis>Thoughts ${n}</analysis>\n<summary>Summary ${n}\n${summaryText()}</summary>`,
      ),
    ),
  );
  const lab = await SessionLab.open(format, {
    context_window: 200_000,
    ...session,
    config: { ...CONFIG, ...session.config },
  });
  const environment = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: server.openaiUrl };
  const model = summarizerFromModelName('openai/gpt-4o-mini', environment);
  lab.summarizer = model;
  return lab;
}

async function compact(lab: SessionLab, mode: Mode): Promise<string> {
  const outcome = await lab.request(mode);
  if (!outcome.ok) throw new Error(outcome.rejection.detail);
  await lab.work(outcome.value.id);
  return outcome.value.id;
}

async function revert(lab: SessionLab, id: string): Promise<void> {
  const command = revertCommand(id, await lab.events(), await lab.head());
  if (!command.ok) throw new Error(command.rejection.detail);
  await lab.commit(revertCompactions([command.value]));
}

/** The context as stored, then as it goes to the model. */
async function snapshot(lab: SessionLab): Promise<string> {
  const { entries, format } = await lab.view();
  const rendered = renderEntries(entries, format, format);
  return `${renderContext(format, entries)}\nto the model:\n${renderItems(format, rendered)}`;
}

const WORK: Item[] = [
  GHOST,
  user('Please fix the parser in src/parser.ts'),
  attachment('file', 'export const parse = 1;', 'src/parser.ts'),
  attachment('todo', [{ content: 'fix the parser', done: false }]),
  assistant('I will read it.', { id: 'msg_1' }),
  ...tool('t1', 'Read', 400, { file_path: 'src/lexer.ts' }),
  PROGRESS,
  ...tool('t2', 'Bash', 300, { command: 'npm test' }),
  assistant(`The tests pass. ${ofTokens(50)}`),
  user('Now write the docs.'),
  assistant('On it.'),
];

describe('context snapshots', () => {
  it('a fresh session with initial context', async () => {
    const lab = await openLab('anthropic', { initial_context: [user('House rules: be brief.')] });
    await lab.append(WORK);
    await expect(await snapshot(lab)).toMatchFileSnapshot('snapshots/fresh.txt');
  });

  it('after a micro-compaction', async () => {
    const lab = await openLab('anthropic');
    await lab.append(WORK);
    await compact(lab, 'micro');
    await expect(await snapshot(lab)).toMatchFileSnapshot('snapshots/micro.txt');
  });

  it('after a full compaction', async () => {
    const lab = await openLab('anthropic', {
      initial_context: [user('House rules: be brief.')],
      config: { protected_tokens: 20 },
    });
    await lab.append(WORK);
    await compact(lab, 'full');
    await lab.append([user('And a changelog.')]);
    await expect(await snapshot(lab)).toMatchFileSnapshot('snapshots/full.txt');
  });

  it('a second full compaction chains the summary and covers the earlier tail', async () => {
    const lab = await openLab('anthropic', { config: { protected_tokens: 20 } });
    await lab.append(WORK);
    await compact(lab, 'full');
    await lab.append([
      user(`And a changelog. ${ofTokens(200)}`),
      assistant('Done.'),
      user('Thanks, go on.'),
    ]);
    await compact(lab, 'full');
    const sent = JSON.stringify(server?.requests[1]?.body);
    expect(sent).toContain('Summary 1');
    expect(sent).toContain('Now write the docs.');
    // What it covers is told by the summary before, and not read again.
    expect(sent).toMatch(/role=\\+"user\\+">\\+nNow write the docs/);
    expect(sent).not.toMatch(/role=\\+"user\\+">\\+nPlease fix the parser/);
    await expect(await snapshot(lab)).toMatchFileSnapshot('snapshots/second-full.txt');
  });

  it('after a revert of the second full compaction', async () => {
    const lab = await openLab('anthropic', { config: { protected_tokens: 20 } });
    await lab.append(WORK);
    await compact(lab, 'full');
    await lab.append([user(`And a changelog. ${ofTokens(200)}`), assistant('Done.')]);
    const before = await lab.view();
    const second = await compact(lab, 'full');
    await lab.append([user('Thanks, go on.')]);
    await revert(lab, second);
    const { entries } = await lab.view();
    expect(entries.slice(0, -1)).toEqual(before.entries);
    expect((await lab.head()).state.tokens).toBe(
      entries.reduce((sum, { tokens }) => sum + tokens, 0),
    );
    await expect(await snapshot(lab)).toMatchFileSnapshot('snapshots/reverted.txt');
  });

  it('codex-v2 preserves user messages', async () => {
    const lab = await openLab('openai-responses', {
      profile: 'codex-v2',
      config: { user_message_max_tokens: 40 },
    });
    const message = (role: string, text: string): Item => ({
      type: 'message',
      role,
      content: text,
    });
    await lab.append([
      message('user', `Please fix the parser. ${ofTokens(100)}`),
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'xx' },
      { type: 'function_call', call_id: 'c1', name: 'shell', arguments: '{"command":"ls"}' },
      { type: 'function_call_output', call_id: 'c1', output: ofTokens(300) },
      message('assistant', 'It is fixed.'),
      message('user', 'Now the docs.'),
      message('assistant', 'Done.'),
    ]);
    await compact(lab, 'full');
    await expect(await snapshot(lab)).toMatchFileSnapshot('snapshots/codex-v2.txt');
  });

  it('claude-code, automatic', async () => {
    const lab = await openLab('anthropic', {
      profile: 'claude-code',
      config: { auto_compact_threshold: 500, micro_compact_enabled: false },
    });
    const appended = await lab.append(WORK);
    if (!appended.ok || appended.value.compaction === null) throw new Error('none was requested');
    await lab.work(appended.value.compaction.id);
    await expect(await snapshot(lab)).toMatchFileSnapshot('snapshots/claude-code.txt');
  });

  it('openai-chat keeps its system message in front', async () => {
    const lab = await openLab('openai-chat', { config: { protected_tokens: 20 } });
    const calls = [{ id: 'c1', type: 'function', function: { name: 'bash', arguments: '{}' } }];
    await lab.append([
      { role: 'system', content: 'You are a careful engineer.' },
      { role: 'user', content: 'Please fix the parser.' },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: ofTokens(300) },
      { role: 'assistant', content: 'It is fixed.' },
      { role: 'user', content: 'Now the docs.' },
    ]);
    await compact(lab, 'full');
    await expect(await snapshot(lab)).toMatchFileSnapshot('snapshots/openai-chat.txt');
  });
});
