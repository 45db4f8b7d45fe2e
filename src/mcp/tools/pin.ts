import { z } from 'zod';
import { pin } from '../../app/pin.ts';
import { counted } from '../../domain/counted.ts';
import { accept, reject } from '../../domain/session/errors.ts';
import type { Tool } from '../tool.ts';

/** Rules and facts; what is longer is an item, or a file. */
const LONGEST_TEXT = 4_000;

/** It stands in the role of the user, who has not said it. */
const NOTED = '[Pinned by the assistant, not said by the user]';

const input = z.strictObject({
  text: z
    .string()
    .max(LONGEST_TEXT)
    .refine((value) => value.trim() !== '', 'must say something')
    .optional()
    .describe('What is to stand in the context from now on, in your own words.'),
  item: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Instead of text: the number of an item of this conversation, as search_history names it.',
    ),
});

/** What the agent keeps in its context through all compactions; only people remove it. */
export const pinTool: Tool<z.infer<typeof input>> = {
  name: 'pin',
  description:
    'Keeps a text or an item of this conversation in your context, word for word, through all ' +
    'compactions. For the few things that must not be summarised: a rule of the user, a decision, an ' +
    'exact value. It takes room in every request, and only the user can remove it.',
  input,
  isReading: false,
  call: async (ports, { ref }, { text, item }) => {
    if ((text === undefined) === (item === undefined)) {
      return reject('invalid_request', 'say what to pin: either text or item');
    }
    const wish = item === undefined ? { text: `${NOTED}\n${text}` } : { seq: item };
    const done = await pin(ports, ref, wish, null);
    if (!done.ok) return done;
    const { id, items, tokens } = done.value.pinned.pin;
    const what = items.length === 0 ? 'the text' : whichItems(items);
    return accept(`pin ${id}: ${what}, ${counted(tokens, 'token')}, in your context from now on`);
  },
};

/** With what an item cannot stand without. */
function whichItems(items: readonly number[]): string {
  const [first = 0] = items;
  const last = items.at(-1) ?? first;
  return first === last ? `item ${first}` : `items ${first}-${last}`;
}
