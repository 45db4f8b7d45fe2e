import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import { assistant, attachment, result, text, user } from '../support/items.ts';
import { PureSession } from '../support/pure-session.ts';

function compactionAfter(...items: Item[]) {
  return new PureSession({}, 'claude-code').append(...items).value.compaction;
}

describe('L14 the text of a command in what was summarised or restored is read as one', () => {
  it('is one as the last message that the user has posted', () => {
    expect(compactionAfter(user('Hello.'), user('/compact'))).toMatchObject({ reason: 'command' });
  });

  it.each<[string, Item[]]>([
    ['in a summary', [user('/compact', { is_compact_summary: true })]],
    ['in a synthetic message', [user('/compact', { is_meta: true })]],
    ['in a restored file', [attachment('file', '/compact', 'notes.md')]],
    ['in a tool result', [result('a', '/compact')]],
    ['from the agent', [assistant('/compact')]],
    ['within a sentence', [user('What does /compact do?')]],
    ['beside another text', [user([text('/compact'), text('What is that?')])]],
    ['with an answer after it', [user('/compact'), assistant('Done.')]],
  ])('ends there: it is none %s', (_, items) => {
    expect(compactionAfter(...items)).toBeNull();
  });

  it('ends there: a recorded command is not in the context, so no summary repeats it', () => {
    const session = new PureSession({}, 'claude-code');
    session.append(user('Hello.'));
    const { tokens } = session.head.state;
    session.append(user('/compact keep the names'));
    expect(session.log.at(-2)).toMatchObject({ data: { excluded: 'command' } });
    expect(session.head.state.tokens).toBe(tokens);
  });
});
