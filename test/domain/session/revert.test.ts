import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import {
  type RevertCompaction,
  revertCascade,
  revertCommand,
  revertCompactions,
} from '../../../src/domain/session/revert-compaction.ts';
import {
  appended,
  completed,
  created,
  given,
  logOf,
  microCompleted,
  requested,
  reverted,
  skipped,
} from '../../support/given.ts';
import { ofTokens, user } from '../../support/items.ts';

const item = appended(user(ofTokens(1_000)));
const micro = (id: string) => [requested({ compaction_id: id }), microCompleted(300, id)];
const full = (id: string, through: number) => [
  requested({ compaction_id: id }),
  completed(through, { covered: 900, replacement: 100 }, id),
];

/** The command as it is read from the log, then decided on the same head. */
function revert(events: NewEvent[], id: string) {
  const { head } = given(...events);
  if (head === null) throw new Error('the log is empty');
  return revertCommand(id, logOf(events), head);
}

function commandFor(events: NewEvent[], id: string): RevertCompaction {
  const outcome = revert(events, id);
  if (!outcome.ok) throw new Error(outcome.rejection.detail);
  return outcome.value;
}

describe('reverting', () => {
  it('a full compaction goes back to the base before it', () => {
    const events = [created(), item, item, ...full('one', 2), item, ...full('two', 3)];
    const last = events.at(-1);
    if (last?.type !== 'compaction.completed') throw new Error('unexpected log');
    last.data.previous = { compaction_id: 'one', version: 5, through: 2 };
    given(...events)
      .when(revertCompactions([commandFor(events, 'two')]))
      .yields({
        type: 'compaction.reverted',
        data: {
          compaction_id: 'two',
          kind: 'full',
          base: { compaction_id: 'one', version: 5, through: 2 },
          tokens: 3_000 - 800,
        },
      });
  });

  it('a micro-compaction keeps the base', () => {
    const events = [created(), item, ...full('one', 2), item, ...micro('two')];
    given(...events)
      .when(revertCompactions([commandFor(events, 'two')]))
      .yields({
        type: 'compaction.reverted',
        data: {
          compaction_id: 'two',
          kind: 'micro',
          base: { compaction_id: 'one', version: 4, through: 2 },
          tokens: 2_000 - 800,
        },
      });
  });

  it('is refused when a later full compaction builds on it', () => {
    for (const first of [micro('one'), full('one', 2)]) {
      const events = [created(), item, ...first, item, ...full('two', 3)];
      given(...events)
        .when(revertCompactions([commandFor(events, 'one')]))
        .rejects('compaction_not_revertible', /\(two\) builds on this/);
    }
  });

  describe('after another has changed the same tool results', () => {
    const events = [created(), item, ...micro('one'), item, ...micro('two')];

    it('is refused, and says which', () => {
      expect(revert(events, 'one')).toMatchObject({
        ok: false,
        rejection: {
          code: 'compaction_not_revertible',
          detail: expect.stringMatching(/^a later compaction \(two\) changed the same/),
        },
      });
      expect(revert(events, 'two').ok).toBe(true);
    });

    it('goes when that one is undone', () => {
      expect(revert([...events, reverted(1_700, 'two')], 'one').ok).toBe(true);
    });

    it('goes where it changed others', () => {
      const others = microCompleted(300, 'two');
      if (others.type !== 'compaction.micro_completed') throw new Error('unexpected event');
      for (const edit of others.data.edits) edit.tool_use_id = 'another';
      const log = [...events.slice(0, -1), others];
      expect(revert(log, 'one').ok).toBe(true);
    });
  });

  it('is refused while a compaction is under way', () => {
    const events = [created(), item, ...full('one', 2), requested({ compaction_id: 'two' })];
    given(...events)
      .when(revertCompactions([commandFor(events, 'one')]))
      .rejects('compaction_not_revertible', /two is under way/);
  });

  it.each([
    ['reverted', [reverted(1_000, 'one')]],
    ['compacted', micro('two')],
  ])('is refused when the context was %s after the command was read', (_name, meanwhile) => {
    const events = [created(), item, ...full('one', 2)];
    const command = commandFor(events, 'one');
    given(...events, ...meanwhile)
      .when(revertCompactions([command]))
      .rejects('compaction_not_revertible', /at the same moment/);
  });

  it('is refused for one that changed nothing, and a second time', () => {
    const rejection = { code: 'compaction_not_revertible' };
    const nothing = [created(), item, requested(), skipped()];
    expect(revert(nothing, 'c')).toMatchObject({ ok: false, rejection });
    const twice = [created(), item, ...full('one', 2), reverted(1_000, 'one')];
    expect(revert(twice, 'one')).toMatchObject({ ok: false, rejection });
  });

  describe('with those that build on it', () => {
    const log = (...events: NewEvent[]) => [created(), item, item, ...events];
    const cascade = (events: NewEvent[], id: string) => {
      const { head } = given(...events);
      if (head === null) throw new Error('the log is empty');
      const outcome = revertCascade(id, logOf(events), head);
      if (!outcome.ok) throw new Error(outcome.rejection.detail);
      return outcome.value;
    };

    it('begins with the newest, in one write', () => {
      const events = log(...micro('one'), item, ...full('two', 2));
      given(...events)
        .when(revertCompactions(cascade(events, 'one')))
        .yields(
          {
            type: 'compaction.reverted',
            data: { compaction_id: 'two', kind: 'full', base: null, tokens: 3_000 - 300 },
          },
          {
            type: 'compaction.reverted',
            data: { compaction_id: 'one', kind: 'micro', base: null, tokens: 3_000 },
          },
        );
    });

    it('undoes those that changed the same tool results first', () => {
      const events = log(...micro('one'), item, ...micro('two'), item, ...micro('three'));
      const ids = cascade(events, 'one').map((one) => one.compaction_id);
      expect(ids).toEqual(['three', 'two', 'one']);
    });

    it('leaves alone what does not build on it', () => {
      const events = log(...full('one', 2), item, ...micro('two'));
      expect(cascade(events, 'one').map((one) => one.compaction_id)).toEqual(['one']);
    });

    it('is refused when something came between', () => {
      const events = log(...micro('one'), item, ...full('two', 2));
      const commands = cascade(events, 'one');
      given(...events, reverted(1_000, 'two'))
        .when(revertCompactions(commands))
        .rejects('compaction_not_revertible', /at the same moment/);
    });
  });

  it('is refused for an unknown session', () => {
    const command = commandFor([created(), item, ...full('one', 2)], 'one');
    given()
      .when(revertCompactions([command]))
      .rejects('session_not_found', /no session/);
  });
});
