import { describe, expect, it } from 'vitest';
import { summarizerChooser } from '../../../src/workers/summarizers/registry.ts';
import { configWith } from '../../support/given.ts';

const session = { model: 'claude-sonnet-4-5', format: 'anthropic' } as const;
const KEYS = { OPENAI_API_KEY: 'sk-o', ANTHROPIC_API_KEY: 'sk-a' };

function choose(
  serverModel: string | null,
  environment: Record<string, string>,
  own: string | null = null,
): string {
  const choice = summarizerChooser(serverModel, environment)(
    session,
    configWith({ summarization_model: own }),
  );
  return choice.kind === 'unusable' ? `unusable: ${choice.message}` : choice.name;
}

describe('summarizerChooser', () => {
  it.each<[string, string | null, Record<string, string>, string | null, string]>([
    ['nothing is configured', null, {}, null, 'extractive'],
    [
      'keys: the cheapest of the session’s provider',
      null,
      KEYS,
      null,
      'anthropic/claude-haiku-4-5',
    ],
    ['a server model', 'openai/gpt-4o-mini', KEYS, null, 'openai/gpt-4o-mini'],
    [
      'the session’s own goes first',
      'openai/gpt-4o-mini',
      KEYS,
      'openai/gpt-4.1',
      'openai/gpt-4.1',
    ],
    ['the server wants none', 'extractive', KEYS, null, 'extractive'],
    ['the session wants none', 'openai/gpt-4o-mini', KEYS, 'extractive', 'extractive'],
    [
      'a model without its key',
      'openai/gpt-4o-mini',
      {},
      null,
      'unusable: provider openai needs OPENAI_API_KEY',
    ],
    ['a provider that nobody knows', null, KEYS, 'acme/x', 'unusable: unknown provider "acme"'],
  ])('%s', (_name, serverModel, environment, own, expected) => {
    expect(choose(serverModel, environment, own)).toContain(expected);
  });

  it('builds each model once', () => {
    const chooser = summarizerChooser('openai/gpt-4o-mini', KEYS);
    const [one, two] = [chooser(session, configWith()), chooser(session, configWith())];
    expect(one.kind).toBe('asking');
    expect(two).toBe(one);
  });

  it('keeps no more models than a hundred, those used last', () => {
    const chooser = summarizerChooser(null, KEYS);
    const model = (name: string) => {
      const choice = chooser(session, configWith({ summarization_model: name }));
      if (choice.kind !== 'asking') throw new Error('no model was chosen');
      return choice;
    };
    const [first, second] = [model('openai/first'), model('openai/second')];
    for (let n = 0; n < 98; n++) model(`openai/other-${n}`);
    expect(model('openai/first')).toBe(first);
    model('openai/one-too-many');
    expect(model('openai/first')).toBe(first);
    expect(model('openai/second')).not.toBe(second);
  });
});
