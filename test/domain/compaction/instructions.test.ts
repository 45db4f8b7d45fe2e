import { describe, expect, it } from 'vitest';
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
function kept(history: Item[], by = codec): Item[] {
  const material = history.map((item, index) => {
    const normalised = by.normalise(item);
    const entry = { seq: index + 1, item, tokens: 5_000, origin: 'log' as const };
    return { entry, item: normalised, original: normalised };
  });
  return standingInstructions(material, 0, history.length, 20_000).map(({ item }) => item);
}

it('keeps what gives the model tools and takes them away, whatever it costs', () => {
  const history = [user('Read.'), added('one'), said, user('On.'), removed('two'), said];
  expect(kept([...history])).toEqual([added('one'), removed('two')]);
  // Compacted once more.
  expect(kept([added('one'), removed('two'), user('On.'), said])).toEqual([
    added('one'),
    removed('two'),
  ]);
});

it('leaves out a tool together with its end, also where they are compacted one after the other', () => {
  const gone = [user('Read.'), added('one'), said, user('On.'), removed('one'), said];
  expect(kept([...gone, user('On.'), added('two'), said])).toEqual([added('two')]);
  expect(kept([added('one'), user('On.'), said, user('On.'), removed('one'), said])).toEqual([]);
});

it('keeps a tool that was given again, or with another that has ended', () => {
  const again = [added('one'), removed('one'), added('one')];
  expect(kept([user('Read.'), ...again, said])).toEqual(again);
  const both = [added('one', 'two'), removed('one')];
  expect(kept([user('Read.'), ...both, said])).toEqual(both);
  const renewed = [added('one'), added('one')];
  expect(kept([user('Read.'), ...renewed, said])).toEqual(renewed);
  // The second may be another tool of that name than the request defines.
  const replaced = [removed('one'), added('one')];
  expect(kept([user('Read.'), ...replaced, said])).toEqual(replaced);
});

describe('what items of the Responses API set', () => {
  const responses = codecFor('openai-responses');
  const said = (role: string, text: string): Item => ({
    type: 'message',
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  });
  const tools = (...names: string[]): Item => ({
    type: 'additional_tools',
    id: `at_${names.join('_')}`,
    role: 'developer',
    tools: names.map((name) => ({ type: 'custom', name })),
  });
  const effort = (value: string): Item => ({
    type: 'configuration_update',
    reasoning: { effort: value },
  });
  const format: Item = {
    type: 'configuration_update',
    text: { format: { type: 'text' } },
  };
  const keptOf = (...history: Item[]) => kept(history, responses);

  it('stays, also where it opens the conversation', () => {
    const developer = said('developer', 'You are a coding agent.');
    const opened = [tools('exec'), developer, said('user', 'Mend it.'), said('assistant', 'Done.')];
    expect(keptOf(...opened)).toEqual([tools('exec'), developer]);
    const later = [said('user', 'Mend it.'), tools('exec'), said('assistant', 'Done.')];
    expect(keptOf(...later)).toEqual([tools('exec')]);
  });

  it('gives way to what sets the same later', () => {
    const user = said('user', 'Mend it.');
    expect(keptOf(user, effort('low'), format, user, effort('high'), user)).toEqual([
      format,
      effort('high'),
    ]);
    // Compacted once more.
    expect(keptOf(format, effort('high'), user, effort('none'), user)).toEqual([
      format,
      effort('none'),
    ]);
    expect(keptOf(user, tools('exec'), user, tools('wait'), tools('exec'), user)).toEqual([
      tools('wait'),
      tools('exec'),
    ]);
  });
});

describe('what Claude Code tells of itself behind the first request', () => {
  const system = (content: string): Item => ({ role: 'system', content });
  const environment = '# Environment\nYou have been invoked in the following environment: \n - x';
  const hook = 'SessionStart:startup hook success: the branch is release/9';

  it.each([environment, `${hook}\n\n${environment}`])(
    'stays beside what came later: %s',
    (told) => {
      // Two of these fill what later ones may fill.
      const later = ['a', 'b'].map((word) => system(`From now on ${word}.`));
      const history = [user('Mend it.'), system(told), said, user('On.'), ...later, said];
      expect(kept(history)).toEqual([system(told), later.at(-1)]);
    },
  );

  it('leaves room for what comes after it', () => {
    const found = ['a', 'b', 'c'].map((page) => system(`Page ${page} says so.`));
    expect(kept([user('Find it.'), ...found, said, user('On.'), said])).toEqual(found.slice(1));
  });
});

it('keeps what Kimi Code reminds of in messages of the role user, of each kind the newest', () => {
  const reminder = (text: string): Item => user(`<system-reminder>\n${text}\n</system-reminder>`);
  const date = reminder("Today's date is 2026-11-28. Rely on the latest such reminder.");
  const mode = reminder('Auto permission mode is active. Continue normally.');
  const renewed = reminder('Auto permission mode is active. Continue normally, as before.');
  const typed = reminder('The user sent a new message while you were working:\nUse spaces.');
  expect(kept([user('Read.'), date, mode, said])).toEqual([date, mode]);
  expect(kept([user('Read.'), date, mode, said, user('On.'), renewed, typed, said])).toEqual([
    date,
    renewed,
  ]);
  // Compacted once more.
  expect(kept([date, mode, user('Read.'), said, user('On.'), renewed, said])).toEqual([
    date,
    renewed,
  ]);
});
