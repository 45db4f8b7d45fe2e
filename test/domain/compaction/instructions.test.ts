import { expect, it } from 'vitest';
import { standingInstructions } from '../../../src/domain/compaction/instructions.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';

/** Messages by which the Anthropic SDK gives its model tools in the middle of a conversation. */

const codec = codecFor('anthropic');
const user = (content: string): Item => ({ role: 'user', content });
const said: Item = { role: 'assistant', content: 'Done.' };
const added = (...names: string[]): Item => ({
  role: 'system',
  content: [
    {
      type: 'tool_addition',
      tool: {
        type: 'tool_definition',
        definition: names.map((name) => ({
          type: 'custom',
          name,
          input_schema: { type: 'object' },
        })),
      },
    },
  ],
});
const removed = (name: string): Item => ({
  role: 'system',
  content: [{ type: 'tool_removal', tool: { type: 'tool_reference', name } }],
});

/** What stays of a history of which all is covered, behind the first user message. */
function kept(...history: Item[]): Item[] {
  const material = history.map((item, index) => {
    const normalised = codec.normalise(item);
    const entry = { seq: index + 1, item, tokens: 5_000, origin: 'log' as const };
    return { entry, item: normalised, original: normalised };
  });
  return standingInstructions(material, 0, history.length, 20_000).map(({ item }) => item);
}

it('keeps what gives the model tools and takes them away, whatever it costs', () => {
  const history = [user('Read.'), added('one'), said, user('On.'), removed('two'), said];
  expect(kept(...history)).toEqual([added('one'), removed('two')]);
  // Compacted once more.
  expect(kept(added('one'), removed('two'), user('On.'), said)).toEqual([
    added('one'),
    removed('two'),
  ]);
});

it('leaves out a tool together with its end, also where they are compacted one after the other', () => {
  const gone = [user('Read.'), added('one'), said, user('On.'), removed('one'), said];
  expect(kept(...gone, user('On.'), added('two'), said)).toEqual([added('two')]);
  expect(kept(added('one'), user('On.'), said, user('On.'), removed('one'), said)).toEqual([]);
});

it('keeps a tool that was given again, or with another that has ended', () => {
  const again = [added('one'), removed('one'), added('one')];
  expect(kept(user('Read.'), ...again, said)).toEqual(again);
  const both = [added('one', 'two'), removed('one')];
  expect(kept(user('Read.'), ...both, said)).toEqual(both);
  const renewed = [added('one'), added('one')];
  expect(kept(user('Read.'), ...renewed, said)).toEqual(renewed);
  // The second may be another tool of that name than the request defines.
  const replaced = [removed('one'), added('one')];
  expect(kept(user('Read.'), ...replaced, said)).toEqual(replaced);
});
