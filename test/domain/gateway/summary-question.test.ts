import { expect, it } from 'vitest';
import { withoutSummaryQuestion } from '../../../src/domain/gateway/summary-question.ts';
import type { Item } from '../../../src/domain/items/item.ts';

const QUESTION =
  'Please create a detailed summary of the conversation so far. The history is being compacted so moving ' +
  'forward, all conversation history will be removed.';
const PAST: Item[] = [
  { role: 'user', content: 'Mend the build.' },
  { role: 'assistant', content: 'How?' },
];
const asked = (content: Item['content']) => [...PAST, { role: 'user', content }] as Item[];

it.each<[string, Item[], Item[] | null]>([
  ['a text', asked(QUESTION), PAST],
  ['a block of its own', asked([{ type: 'input_text', text: QUESTION }]), PAST],
  [
    'the last block',
    asked([
      { type: 'text', text: 'With tape.' },
      { type: 'text', text: QUESTION },
    ]),
    asked([{ type: 'text', text: 'With tape.' }]),
  ],
  [
    'words of the user',
    asked('Please create a detailed summary of the conversation so far.'),
    null,
  ],
  ['a quotation', asked(`It says: ${QUESTION}`), null],
  ['a picture', asked([{ type: 'image', source: {} }]), null],
  ['nothing', [], null],
  ['of the model', [...PAST, { role: 'assistant', content: QUESTION }], null],
  ['asked before', [...asked(QUESTION), { role: 'assistant', content: 'A summary.' }], null],
])('%s', (_, history, past) => {
  expect(withoutSummaryQuestion(history)).toEqual(past);
});
