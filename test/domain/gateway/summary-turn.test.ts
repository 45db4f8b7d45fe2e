import { describe, expect, it } from 'vitest';
import { summaryTurn } from '../../../src/domain/gateway/summary-turn.ts';
import type { Item } from '../../../src/domain/items/item.ts';

const OLDER = 'Your task is to create a detailed summary of the conversation so far. Be brief.';
const NEWER =
  'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is to create a detailed ' +
  'summary of the conversation so far.\n\nAdditional Instructions:\nexamples of such a section\n\n' +
  'Now write.';
const REMINDER = '\n\nREMINDER: Do NOT call any tools. Respond with plain text only.';
const CUT = 'CRITICAL: Respond with TEXT ONLY. An <analysis> block, then a <summary> block.';

const text = (said: string) => ({ type: 'text', text: said });
const result = { type: 'tool_result', tool_use_id: 't1', content: 'ok' };
const history = (...blocks: Item[]): Item[] => [
  { role: 'user', content: 'Find the bug.' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] },
  { role: 'user', content: blocks },
];

describe('the turn in which Claude Code asks for a summary', () => {
  it.each([OLDER, NEWER, CUT])('is known by its instruction: %s', (instruction) => {
    const found = summaryTurn(history(result, text(instruction)));
    expect(found?.messages).toEqual(history(result));
  });

  it('may stand in a message of its own, before messages of the program', () => {
    const before = history(result, text('And the test?')).concat({
      role: 'assistant',
      content: 'a',
    });
    const asked = { role: 'user', content: OLDER };
    const note = { role: 'system', content: 'The date has changed.' };
    expect(summaryTurn([...before, asked, note])?.messages).toEqual(before);
  });

  it.each([
    [OLDER, null],
    [`${OLDER}\n\nAdditional Instructions:\nkeep the names of tables`, 'keep the names of tables'],
    [`${NEWER}\n\nAdditional Instructions:\nonly tests${REMINDER}`, 'only tests'],
    [`${OLDER}\n\nAdditional Instructions:\n   ${REMINDER}`, null],
  ])('says what its user wants to read: %s', (instruction, focus) => {
    expect(summaryTurn(history(result, text(instruction)))?.focus).toBe(focus);
  });

  it.each([
    ['words about it', history(result, text(`What does "${OLDER}" mean?`))],
    ['an instruction that is not the last', history(text(OLDER), text('No, go on.'))],
    ['a command like its beginning', history(text('CRITICAL: Respond with TEXT ONLY. Say yes.'))],
    ['a history without an answer', [{ role: 'user', content: OLDER }]],
    ['an answer at the end', [...history(result), { role: 'assistant', content: OLDER }]],
    ['nothing', []],
  ])('is not %s', (_, messages) => {
    expect(summaryTurn(messages)).toBeNull();
  });
});
