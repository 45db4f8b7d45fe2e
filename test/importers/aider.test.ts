import { expect, test } from 'vitest';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import { bytesOf } from './fixtures.ts';

/** Two blanks end what Aider itself writes. */
const aider = (...lines: string[]) => lines.map((line) => `${line}  `).join('\n');
const START = '\n# aider chat started at 2026-05-26 00:50:42\n\n';
const read = (text: string) => readTranscripts('.aider.chat.history.md', bytesOf(text));

const CHAT = [
  START,
  aider('> Aider v0.86.2', '> Main model: claude-sonnet-4-5 with diff edit format'),
  '\n\n',
  aider('#### Bu uygulamayı çalıştırabilmek istiyorum.', '#### Modern gözüksün.'),
  '\n\nHarika!\n\n#### Özellikler\n\n> Not: bir alıntı\n\nmain.py\n```python\n# a comment\n{"role": "user", "content": "no"}\n```\n\n',
  aider('> Tokens: 4.3k sent, 1.2k received.', '> Applied edit to main.py'),
  '\n\nTamam.\n\n',
  aider('> Tokens: 1k sent, 20 received.'),
  '\n\n',
  aider('#### <blank>'),
  '\n\n',
  aider('> All chat history cleared.'),
  '\n\n',
  aider('#### Teşekkürler'),
  '\n',
].join('');

test('a chat of Aider: what was typed is told from headings of answers', () => {
  expect(read(CHAT)).toEqual([
    {
      name: '.aider.chat.history.md',
      source: 'aider',
      format: 'openai-chat',
      model: 'claude-sonnet-4-5',
      items: [
        { role: 'user', content: 'Bu uygulamayı çalıştırabilmek istiyorum.\nModern gözüksün.' },
        {
          role: 'assistant',
          content:
            'Harika!\n\n#### Özellikler\n\n> Not: bir alıntı\n\nmain.py\n```python\n# a comment\n{"role": "user", "content": "no"}\n```\n\n\nTamam.',
        },
        { role: 'user', content: 'Teşekkürler' },
      ],
      skipped: { printed_line: 6, empty_message: 1 },
    },
  ]);
});

test('each chat of a folder is a conversation, but for those in which nothing was said', () => {
  const empty = `${START}${aider('> Aider v0.86.2')}\n`;
  const windows = `${START}${aider('#### fix it')}\n\nDone.\n`.replaceAll('\n', '\r\n');
  const chats = read(empty + CHAT + windows + empty);
  expect(chats.map(({ name, items, skipped }) => [name, items.length, skipped.empty_chat])).toEqual(
    [
      ['.aider.chat.history.md-1', 3, 2],
      ['.aider.chat.history.md-2', 2, undefined],
    ],
  );
  expect(chats[1]?.items).toEqual([
    { role: 'user', content: 'fix it' },
    { role: 'assistant', content: 'Done.' },
  ]);
  expect(read(empty)).toMatchObject([{ items: [] }]);
});

test('in chats of older versions no heading of an answer is taken for words of the user', () => {
  const [chat] = read(CHAT.replaceAll(/ +$/gm, ''));
  expect(chat?.items).toEqual(read(CHAT)[0]?.items);
  expect(chat).toMatchObject({ model: 'claude-sonnet-4-5', skipped: { printed_line: 6 } });
});

test('an answer may open with a heading, and follow what was printed in one line', () => {
  const chat = `${START}> Use /help\n\n${aider('#### fix it')}\n\n#### Fix\n\nDone.\n`;
  expect(read(chat)[0]?.items).toEqual([
    { role: 'user', content: 'fix it' },
    { role: 'assistant', content: '#### Fix\n\nDone.' },
  ]);
});

test('what Aider prints over several lines is no answer', () => {
  const map = [
    '> Here are summaries of some files present in my git repository.',
    'Do not change these.\n\nmain.py:\n│  \n│def main():\n',
    '> Failed:\nno such file\n\n',
  ].join('\n');
  const [chat] = read(`${START}${map}${aider('#### fix it')}\n\nDone.\n`);
  expect(chat).toMatchObject({
    items: [
      { role: 'user', content: 'fix it' },
      { role: 'assistant', content: 'Done.' },
    ],
    skipped: { printed_line: 7 },
  });
});

test('a text that tells of such a file is none', () => {
  expect(() => read(`It begins so:\n${CHAT}`)).not.toThrow();
  expect(read(`It begins so:\n${CHAT}`)).toMatchObject([{ source: 'openai-chat' }]);
  expect(() => read('# aider chat started at noon')).toThrow('no known transcript format');
  expect(() => read('# aider chat started at 2025-10-20, I think')).toThrow(
    'no known transcript format',
  );
});

test('what the model has thought is no part of its answer, and what was typed after nothing none of it', () => {
  const thought =
    '<thinking-content-7bbeb8e1441453ad>\nNever do it.\n</thinking-content-7bbeb8e1441453ad>';
  const text = [
    START,
    aider('#### Mend it'),
    `\n\nI see.\n${thought}\nDone.\n${thought}\nIn <thinking-content-0123456789abcdef> alone.\n\n`,
    aider('> Tokens: 1k sent, 20 received.'),
    '\n\n',
    aider('#### <blank>'),
    '\n\n',
    aider('#### npm test'),
    '\n',
  ].join('');
  expect(read(text)[0]?.items).toEqual([
    { role: 'user', content: 'Mend it' },
    {
      role: 'assistant',
      content: 'I see.\n\nDone.\n\nIn <thinking-content-0123456789abcdef> alone.',
    },
    { role: 'user', content: 'npm test' },
  ]);
});
