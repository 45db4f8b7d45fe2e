import { describe, expect, it } from 'vitest';
import { historyOf, protocolOf } from '../../../src/domain/gateway/protocol.ts';

const reminder = {
  type: 'text',
  text: "<system-reminder>\nAs you answer the user's questions, you can use the following context:\n# claudeMd\nContents of /p/CLAUDE.md (project instructions, checked into the codebase):\n\nAlways run the tests.\n</system-reminder>",
};
const asked = {
  type: 'text',
  text: 'Why does the build fail?',
  cache_control: { type: 'ephemeral' },
};

describe('historyOf', () => {
  it('parts the project instructions at the head from what the user says', () => {
    const messages = [
      { role: 'user', content: [reminder, asked] },
      { role: 'assistant', content: 'A file is missing.' },
      { role: 'user', content: [reminder, asked] },
    ];
    expect(historyOf('messages', { messages })).toEqual([
      { role: 'user', content: [reminder] },
      { role: 'user', content: [asked] },
      ...messages.slice(1),
    ]);
  });

  it('leaves a head as it is that holds one of the two', () => {
    const messages = [
      { role: 'user', content: [asked, asked] },
      { role: 'user', content: 'And now?' },
    ];
    expect(historyOf('messages', { messages })).toEqual(messages);
  });

  it('takes a text as the input of the Responses API', () => {
    expect(historyOf('responses', { input: 'Hello' })).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
    ]);
    expect(historyOf('responses', { input: ' ' })).toBeNull();
  });

  it.each([[{}], [{ messages: [] }], [{ messages: 'Hello' }], [{ messages: ['Hello'] }]])(
    'is null for %j',
    (body) => {
      expect(historyOf('chat', body)).toBeNull();
    },
  );
});

it('names the protocol of a path', () => {
  expect(['/messages', '/chat/completions', '/responses', '/models'].map(protocolOf)).toEqual([
    'messages',
    'chat',
    'responses',
    null,
  ]);
});
