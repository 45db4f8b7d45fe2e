import { describe, expect, it } from 'vitest';
import { requestCompaction } from '../../../src/domain/session/compaction-commands.ts';
import {
  completeFull,
  completeMicro,
  type FullResult,
} from '../../../src/domain/session/complete-compaction.ts';
import type { EventOf, NewEvent } from '../../../src/domain/session/events.ts';
import { applyProposal, discardProposal } from '../../../src/domain/session/proposal-commands.ts';
import { revertCommand, revertCompactions } from '../../../src/domain/session/revert-compaction.ts';
import { PLAIN_REPORT } from '../../support/event-data.ts';
import {
  appended,
  CLOCK,
  completed,
  created,
  given,
  headOf,
  logOf,
  requested,
  skipped,
  started,
  termsWith,
  WORLD,
} from '../../support/given.ts';
import { ofTokens, user } from '../../support/items.ts';

const EXACT = { token_safety_multiplier: 1 };
const EXACT_TERMS = termsWith(EXACT);
const FIRST = { compaction_id: 'c', attempt: 1 };
const FULL: FullResult = {
  mode: 'full',
  through: 2,
  previous: null,
  summary_text: 'S',
  entries: [{ seq: null, item: user('S'), tokens: 100, origin: 'summary' }],
  report: { ...PLAIN_REPORT, covered_tokens: 1_000, replacement_tokens: 100 },
};

const asked = (id = 'c') =>
  requested({ compaction_id: id, trigger: 'manual', reason: 'proposal', propose: true });
const base = [created({ config: EXACT }), appended(user(ofTokens(1_000)))];
const writing = [...base, asked(), started()];

function proposed(
  id = 'c',
  tokens = { before: 1_000, after: 100 },
): EventOf<'compaction.proposed'> {
  const effect = {
    tokens_before: tokens.before,
    tokens_after: tokens.after,
    is_before_reported: false,
    is_above_threshold: false,
    is_still_due: false,
    cost_basis: { calls: 0, cached_share: null },
  };
  const data: EventOf<'compaction.proposed'>['data'] = {
    compaction_id: id,
    candidate: {
      type: 'compaction.completed',
      data: { ...FULL, report: { ...FULL.report, ...effect } },
    },
  };
  return { type: 'compaction.proposed', data } as EventOf<'compaction.proposed'>;
}
const standing = (...ids: string[]): NewEvent[] => [
  ...base,
  ...ids.flatMap((id) => [asked(id), started(1, id), proposed(id)]),
];
const { candidate } = proposed().data;
const apply = (id = 'c') =>
  applyProposal(WORLD, EXACT_TERMS, { compaction_id: id, candidate }, CLOCK);

describe('a compaction that was asked to propose', () => {
  it('says so in the log', () => {
    const request = { compaction_id: 'c', mode: 'full', trigger: 'manual', propose: true } as const;
    given(...base)
      .when(requestCompaction(WORLD, request))
      .yields(
        requested({
          mode: 'full',
          trigger: 'manual',
          reason: 'proposal',
          propose: true,
        }),
      );
  });

  it('ends with what it would have written, and changes nothing', () => {
    const after = given(...writing)
      .when(completeFull(EXACT_TERMS, FIRST, FULL, CLOCK))
      .yields({ type: 'compaction.proposed', data: proposed().data })
      .events();
    const [before, then] = [headOf(writing), headOf([...writing, ...after])];
    expect(then?.state).toEqual({
      ...before?.state,
      version: 5,
      running: null,
      proposals: [{ id: 'c', trigger: 'manual' }],
    });
  });

  it('is skipped where the compaction would have been', () => {
    const larger = { ...FULL, report: { ...FULL.report, replacement_tokens: 1_000 } };
    const [event] = given(...writing)
      .when(completeFull(EXACT_TERMS, FIRST, larger, CLOCK))
      .events();
    expect(event).toMatchObject({
      type: 'compaction.skipped',
      data: { reason: 'would_not_shrink' },
    });
  });

  it('proposes clearing, too', () => {
    const edit = { seq: 2, tool_use_id: 't', content: '', kind: 'cleared' } as const;
    const result = {
      strategy: 'all_older',
      edits: [{ ...edit, tokens_before: 900, tokens_after: 10 }],
      tokens_saved: 890,
      result_tokens_before: 900,
      result_tokens_after: 10,
      duration_ms: 1,
    } as const;
    const [event] = given(...writing)
      .when(completeMicro(EXACT_TERMS, FIRST, { ...result, edits: [...result.edits] }, CLOCK))
      .events();
    expect(event).toMatchObject({
      type: 'compaction.proposed',
      data: {
        candidate: {
          type: 'compaction.micro_completed',
          data: { ...result, tokens_before: 1_000, tokens_after: 110 },
        },
      },
    });
  });

  it('holds off no automatic compaction, however it ends', () => {
    const counted = headOf(base)?.state.tokens_since_compaction;
    for (const end of [
      proposed(),
      skipped(),
      { type: 'compaction.cancelled', data: { compaction_id: 'c' } } as const,
    ]) {
      expect(headOf([...writing, end])?.state.tokens_since_compaction).toBe(counted);
    }
  });
});

describe('asking while something else is under way', () => {
  const request = { compaction_id: 'd', mode: 'auto', trigger: 'manual' } as const;

  it('answers with the proposal that is being written', () => {
    given(...writing)
      .when(requestCompaction(WORLD, { ...request, propose: true }))
      .answers({ id: 'c', is_under_way: true });
  });

  it('takes no proposal for a compaction', () => {
    given(...writing)
      .when(requestCompaction(WORLD, request))
      .rejects(
        'compaction_under_way',
        /^the proposal c is being written: wait for its end or cancel/,
      );
  });

  it('takes no compaction for a proposal', () => {
    given(...base, requested())
      .when(requestCompaction(WORLD, { ...request, propose: true }))
      .rejects('compaction_not_proposable', /^compaction c is under way and will be applied: wait/);
  });

  it.each([
    ['the packet of the agent', packetAwaited()],
    ['the next message', { type: 'preflight.armed', data: { percent_remaining: 40 } } as const],
  ])('proposes nothing while a compaction waits for %s', (awaited, event) => {
    given(...base, event)
      .when(requestCompaction(WORLD, { ...request, propose: true }))
      .rejects('compaction_not_proposable', new RegExp(`is due already and waits for ${awaited}`));
  });

  it('has room for 16 proposals', () => {
    const ids = Array.from({ length: 16 }, (_, i) => `p${i}`);
    const propose = requestCompaction(WORLD, { ...request, propose: true });
    given(...standing(...ids))
      .when(propose)
      .rejects('compaction_not_proposable', /^16 proposals stand/);
    given(...standing(...ids.slice(1)))
      .when(propose)
      .answers({ id: 'd', is_under_way: true });
  });
});

function packetAwaited(): NewEvent {
  const attribution = {
    path: 'turn_complete',
    tier: null,
    percent_remaining: null,
    boundaries: [],
  };
  return {
    type: 'packet.requested',
    data: {
      attribution: attribution as EventOf<'packet.requested'>['data']['attribution'],
      prompt: 'p',
      template: 't@1',
      deadline_ms: 1,
    },
  };
}

describe('applyProposal', () => {
  it('writes what was proposed, with the figures of now', () => {
    const later = appended(user(ofTokens(50)));
    const [event, ...rest] = given(...standing('c'), later)
      .when(apply())
      .events();
    const { report, ...data } = FULL;
    expect(event).toEqual({
      type: 'compaction.completed',
      data: {
        compaction_id: 'c',
        ...data,
        report: {
          ...report,
          tokens_before: 1_050,
          tokens_after: 150,
          is_before_reported: false,
          is_above_threshold: false,
          is_still_due: false,
          cost_basis: { calls: 0, cached_share: null },
        },
      },
    });
    expect(rest).toEqual([]);
  });

  it('sets the base, and ends the proposal', () => {
    const before = standing('c');
    const events = given(...before)
      .when(apply())
      .events();
    expect(headOf([...before, ...events])?.state).toMatchObject({
      base: { compaction_id: 'c', version: 6, through: 2 },
      proposals: [],
      tokens: 100,
      tokens_since_compaction: 0,
      compactions: { full: 1 },
    });
  });

  it('ends the others, which were made for the context before', () => {
    const before = standing('b', 'c', 'd');
    const events = given(...before)
      .when(apply())
      .events();
    expect(events.slice(1)).toEqual(
      ['b', 'd'].map((compaction_id) => ({
        type: 'compaction.discarded',
        data: { compaction_id, superseded_by: 'c' },
      })),
    );
    expect(headOf([...before, ...events])?.state.proposals).toEqual([]);
  });

  it('refuses one that stands no more', () => {
    given(...standing('c'), discarded())
      .when(apply())
      .rejects('proposal_not_open', /^the proposal was applied or discarded at the same moment/);
  });

  it('refuses while another compaction is under way', () => {
    given(...standing('c'), requested({ compaction_id: 'd' }))
      .when(apply())
      .rejects(
        'compaction_not_applicable',
        /^compaction d is under way: wait for its end or cancel it/,
      );
  });

  it('refuses what would not make the context smaller', () => {
    const message = {
      ...user('x'),
      role: 'assistant',
      usage: { input_tokens: 90, output_tokens: 5 },
    };
    given(...standing('c'), appended(message))
      .when(apply())
      .rejects(
        'compaction_not_applicable',
        /^the proposal would not make the context smaller: the compacted context would hold \d+ tokens/,
      );
  });

  it('refuses where compaction is switched off', () => {
    const off: NewEvent = { type: 'session.configured', data: { config: { enabled: false } } };
    given(...standing('c'), off)
      .when(apply())
      .rejects('compaction_disabled', /switched off/);
  });

  it('goes by the terms of the attempt', () => {
    const terms = { ...EXACT_TERMS, context_window: 13_100 };
    const [, exceeded] = given(...standing('c'))
      .when(applyProposal(WORLD, terms, { compaction_id: 'c', candidate }, CLOCK))
      .events();
    expect(exceeded).toMatchObject({
      type: 'compaction.threshold_exceeded',
      data: { post_compact_tokens: 100, threshold: 100 },
    });
  });

  it('refuses an unknown session', () => {
    given()
      .when(apply())
      .rejects('session_not_found', /no session/);
  });
});

function discarded(superseded_by: string | null = null): NewEvent {
  return { type: 'compaction.discarded', data: { compaction_id: 'c', superseded_by } };
}

describe('discardProposal', () => {
  it('drops it and nothing else', () => {
    given(...standing('b', 'c'))
      .when(discardProposal('c'))
      .yields(discarded());
    expect(headOf([...standing('b', 'c'), discarded()])?.state.proposals).toEqual([
      { id: 'b', trigger: 'manual' },
    ]);
  });

  it('refuses one that stands no more', () => {
    given(...standing('c'), discarded())
      .when(discardProposal('c'))
      .rejects('proposal_not_open', /at the same moment: read the compaction again/);
  });

  it('refuses an unknown session', () => {
    given()
      .when(discardProposal('c'))
      .rejects('session_not_found', /no session/);
  });
});

describe('a change of the context', () => {
  it('ends proposals when an automatic compaction completes', () => {
    const attempt = { compaction_id: 'auto', attempt: 1 };
    const running = [requested({ compaction_id: 'auto' }), started(1, 'auto')];
    const events = given(...standing('c'), ...running)
      .when(completeFull(EXACT_TERMS, attempt, FULL, CLOCK))
      .events();
    expect(events.slice(1)).toEqual([discarded('auto')]);
  });

  it('ends proposals when a compaction is reverted', () => {
    const full = completed(2, { covered: 1_000, replacement: 100 }, 'old');
    const log = [
      ...base,
      requested({ compaction_id: 'old' }),
      started(1, 'old'),
      full,
      asked(),
      started(),
      proposed(),
    ];
    const head = headOf(log);
    if (head === null) throw new Error('there is no head');
    const command = revertCommand('old', logOf(log), head);
    if (!command.ok) throw new Error(command.rejection.detail);
    const [, ...rest] = given(...log)
      .when(revertCompactions([command.value]))
      .events();
    expect(rest).toEqual([discarded('old')]);
  });
});
