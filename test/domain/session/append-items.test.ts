import { describe, expect, it } from 'vitest';
import { type AppendItems, appendItems } from '../../../src/domain/session/append-items.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import type { World } from '../../../src/domain/session/world.ts';
import {
  AT,
  appended,
  BREAKER_OPENED,
  cancelled,
  completed,
  created,
  failed,
  given,
  microCompleted,
  NOW,
  requested,
  reverted,
  SESSION,
  skipped,
  started,
  WORLD,
} from '../../support/given.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';

/** 140,601 tokens with the margin of 1.33 are the first that reach the threshold of 187,000. */
const FILLING = user(ofTokens(140_601));
const SMALL = user('abcd');
const request = requested({ compaction_id: 'next' });

function append(items: AppendItems['items'], overrides: Partial<AppendItems> = {}, world = WORLD) {
  return appendItems(world, {
    items,
    defaults: SESSION,
    compaction_id: 'next',
    now_ms: NOW,
    at: AT,
    ...overrides,
  });
}

function reporting(tokens: number) {
  return assistant('ok', { usage: { input_tokens: tokens - 10, output_tokens: 10 } });
}

describe('appendItems', () => {
  it('appends all items with their tokens and answers where the context stands', () => {
    given(created())
      .when(append([user('12345678'), reporting(1000), SMALL]))
      .yields(
        { type: 'item.appended', data: { item: user('12345678'), tokens: 2 } },
        { type: 'item.appended', data: { item: reporting(1000), tokens: 1, usage: 1000 } },
        { type: 'item.appended', data: { item: SMALL, tokens: 1 } },
      )
      .answers({
        version: 4,
        first_seq: 2,
        last_seq: 4,
        context: {
          // Reported usage, and the estimate with margin of what came after it.
          tokens: 1002,
          limit: 187_000,
          percent_remaining: 99,
          is_above_warning: false,
          is_above_error: false,
          is_above_auto_compact: false,
        },
        compaction: null,
        advice: null,
        note: null,
      });
  });

  it('creates the session with the defaults when the id is new', () => {
    given()
      .when(append([SMALL]))
      .yields(created(), appended(SMALL))
      .answers(expect.objectContaining({ version: 2, first_seq: 2, last_seq: 2 }));
  });

  it('refuses to create one whose window has no room', () => {
    const world: World = { server: { free_space_buffer: 250_000 }, tokenizers: {} };
    given()
      .when(append([SMALL], {}, world))
      .rejects('invalid_config', /200000 .*free_space_buffer 250000/);
  });

  it.each([
    [[created()], 1, true],
    [[created()], 2, false],
    [[], 0, true],
    [[], 1, false],
  ])('If-Match: %#', (events: NewEvent[], expected_version, isAccepted) => {
    const outcome = given(...events).when(append([SMALL], { expected_version }));
    if (isAccepted) expect(outcome.events().at(-1)).toEqual(appended(SMALL));
    else outcome.rejects('version_mismatch', /read it again/);
  });

  it('appends nothing when one item is wrong, and names every problem', () => {
    const outcome = append([SMALL, { role: 'nobody', content: '' }, 'x'])(null);
    expect(outcome).toMatchObject({
      ok: false,
      rejection: {
        code: 'invalid_item',
        detail: 'nothing was appended: items do not fit the session\'s format "anthropic"',
        errors: [{ path: 'items.1.role' }, { path: 'items.2' }],
      },
    });
  });
});

describe('automatic compaction', () => {
  const appendFilling = append([FILLING]);

  it('is requested in the write that reaches the threshold', () => {
    given(created())
      .when(appendFilling)
      .yields(appended(FILLING), request)
      .answers({
        version: 3,
        first_seq: 2,
        last_seq: 2,
        context: {
          tokens: 187_000,
          limit: 187_000,
          percent_remaining: 0,
          is_above_warning: true,
          is_above_error: true,
          is_above_auto_compact: true,
        },
        compaction: {
          id: 'next',
          status: 'queued',
          mode: 'auto',
          trigger: 'auto',
          reason: 'token_limit',
        },
        advice: null,
        note: null,
      });
  });

  it('is not requested one token below it', () => {
    const below = user(ofTokens(140_600));
    given(created())
      .when(append([below]))
      .yields(appended(below));
  });

  it('is requested on reported usage', () => {
    const item = reporting(187_000);
    given(created())
      .when(append([item]))
      .yields(appended(item), request);
  });

  it.each<[string, NewEvent, World]>([
    ['enabled: false', created({ config: { enabled: false } }), WORLD],
    ['auto_compact_enabled: false', created({ config: { auto_compact_enabled: false } }), WORLD],
    [
      'DISABLE_COMPACT, whatever the session says',
      created({ config: { enabled: true } }),
      { server: { enabled: false }, tokenizers: {} },
    ],
  ])('never with %s', (_name, session, world) => {
    given(session)
      .when(append([FILLING], {}, world))
      .yields(appended(FILLING));
  });

  it('never while one is under way, which the answer names', () => {
    given(created(), requested({ mode: 'full', trigger: 'manual', reason: 'requested' }), started())
      .when(appendFilling)
      .yields(appended(FILLING))
      .answers(
        expect.objectContaining({
          compaction: {
            id: 'c',
            status: 'running',
            mode: 'full',
            trigger: 'manual',
            reason: 'requested',
          },
        }),
      );
  });
});

describe('loop guard: min_new_tokens_between_compactions (2,000)', () => {
  const full = [created(), appended(FILLING), requested(), started()];
  const small = user(ofTokens(1_999));
  const enough = user(ofTokens(2_000));

  it.each<[string, NewEvent[]]>([
    ['a skipped one', [...full, skipped()]],
    ['one that was below the threshold', [...full, skipped('below_threshold')]],
    ['a failed one', [...full, failed()]],
    ['a cancelled one', [...full, cancelled()]],
    ['a micro-compaction', [...full, microCompleted(1)]],
    ['a full one', [...full, completed(2, { covered: 10, replacement: 5 })]],
    ['a revert', [...full, completed(2, { covered: 9, replacement: 5 }), reverted(140_601)]],
  ])('waits for news after %s', (_name, events) => {
    given(...events)
      .when(append([small]))
      .yields(appended(small));
    given(...events)
      .when(append([enough]))
      .yields(appended(enough), request);
  });

  it('does not wait when the window itself is full', () => {
    given(created(), appended(user(ofTokens(150_376))), requested(), started(), skipped())
      .when(append([SMALL]))
      .yields(appended(SMALL), request);
  });
});

describe('usage', () => {
  it('from before a compaction is not used after it', () => {
    const events = [
      created(),
      appended(reporting(187_000)),
      requested(),
      started(),
      completed(2, { covered: 1, replacement: 0 }),
    ];
    given(...events)
      .when(append([SMALL]))
      .yields(appended(SMALL))
      .answers(expect.objectContaining({ context: expect.objectContaining({ tokens: 2 }) }));
  });
});

describe('breaker', () => {
  const open = [created(), appended(FILLING), requested(), started(), failed(), BREAKER_OPENED];
  const news = user(ofTokens(2_000));

  it('holds automatic compactions back while it is open', () => {
    given(...open)
      .when(append([news], { now_ms: NOW + 599_999 }))
      .yields(appended(news));
  });

  it('closes when its time is over, and the compaction is requested', () => {
    given(...open)
      .when(append([news], { now_ms: NOW + 600_000 }))
      .yields(appended(news), { type: 'breaker.closed', data: { reason: 'timeout' } }, request);
  });
});
