import { expect, test } from 'vitest';
import { codecFor, type Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { titleOf } from '../../../src/domain/session/title.ts';

const codex = (text: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

const TITLES: [string, Format, Item, string | null][] = [
  ['a question', 'anthropic', { role: 'user', content: 'Why is the\nbuild red?' }, 'Why is the'],
  [
    'a request behind what Claude Code tells',
    'anthropic',
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>\nToday is Monday.\n</system-reminder>' },
        { type: 'text', text: '\n  Fix   the build\n' },
      ],
    },
    'Fix the build',
  ],
  [
    'what Codex tells of its surroundings',
    'openai-responses',
    codex('<environment_context>\n  <cwd>/app</cwd>\n</environment_context>'),
    null,
  ],
  ['a request in Codex', 'openai-responses', codex('修复构建'), '修复构建'],
  ['system instructions', 'openai-chat', { role: 'system', content: 'You are a helper.' }, null],
  [
    'a request between tags, as mini-swe-agent writes it',
    'openai-chat',
    {
      role: 'user',
      content: '<pr_description>\nConsider the following PR description:\nSum is wrong',
    },
    'Consider the following PR description: Sum is wrong',
  ],
  [
    'a request behind a line that only leads to it',
    'anthropic',
    { role: 'user', content: 'got this feedback:\n\n```\nThe  cache is never cleared.\n```' },
    'got this feedback: The cache is never cleared.',
  ],
  ['a line that leads to nothing', 'anthropic', { role: 'user', content: 'Fix:\n\n' }, 'Fix:'],
  ['a sticker', 'openai-chat', { role: 'user', content: '<media:sticker>' }, '<media:sticker>'],
  ['an answer', 'openai-chat', { role: 'assistant', content: 'Done.' }, null],
  ['a result', 'openai-chat', { role: 'tool', tool_call_id: 'c', content: 'ok' }, null],
  [
    'a long one',
    'openai-chat',
    { role: 'user', content: 'word '.repeat(100) },
    `${'word '.repeat(100).slice(0, 79)}…`,
  ],
  [
    'a picture',
    'openai-chat',
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b' } }] },
    null,
  ],
];

test.each(TITLES)('the title of %s', (_, format, item, title) => {
  expect(titleOf(codecFor(format).normalise(item))).toBe(title);
});
