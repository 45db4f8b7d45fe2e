import { describe, expect, it } from 'vitest';
import {
  configureSession,
  createSession,
  type NewSession,
} from '../../../src/domain/session/create-session.ts';
import { NO_PINS } from '../../../src/domain/session/pins.ts';
import { AT, created, given, headOf, SESSION, WORLD } from '../../support/given.ts';
import { ofTokens, user } from '../../support/items.ts';

describe('createSession', () => {
  it('records all settings and counts the initial context', () => {
    const initial = [user('12345678'), user(ofTokens(100))];
    const session: NewSession = {
      format: 'anthropic',
      profile: 'claude-code',
      config: { auto_compact_pct_override: 80 },
      model: 'claude-x',
      context_window: 100_000,
      initial_context: initial,
      metadata: { who: 'me' },
    };
    given()
      .when(createSession(WORLD, session))
      .yields({
        type: 'session.created',
        data: {
          ...session,
          initial_context: [
            { seq: null, item: initial[0] ?? {}, tokens: 2, origin: 'initial' },
            { seq: null, item: initial[1] ?? {}, tokens: 100, origin: 'initial' },
          ],
        },
      });
  });

  it('answers the head after the event', () => {
    const head = headOf([created()]);
    given().when(createSession(WORLD, SESSION)).answers(head);
    expect(head).toEqual({
      settings: {
        format: 'anthropic',
        profile: 'default',
        config: {},
        model: null,
        context_window: 200_000,
        metadata: {},
      },
      state: {
        version: 1,
        title: null,
        items: 0,
        tokens: 0,
        usage: null,
        tokens_since_usage: 0,
        stale_usage_from: null,
        tokens_since_compaction: 0,
        base: null,
        running: null,
        proposals: [],
        pins: NO_PINS,
        calls: { count: 0, is_answering: false, cached_share: null, model: null },
        messages: 0,
        compactions: { micro: 0, full: 0, remote: 0, skipped: 0, failed: 0 },
        compacted_version: 0,
        failures: 0,
        breaker_reset_at_ms: null,
        signals: [],
        completed_steps: 0,
        open_commands: [],
        open_calls: { calls: [], results: [], succeeded: [], is_partial: false },
        has_life_cycle: false,
        packet_request: null,
        preflight: null,
        user_message: null,
        last_call: 0,
        last_skip: null,
        told: null,
        superseded: [],
        created_at: AT,
        updated_at: AT,
      },
    });
  });

  it('refuses an id that exists', () => {
    given(created())
      .when(createSession(WORLD, SESSION))
      .rejects('session_exists', /another id/);
  });

  it.each([
    ['claude-code', 33_000, /33000 .*free_space_buffer 13000.* 20000.* 20000/],
    ['codex-v2', 20_000, /20000 .*free_space_buffer 13000.* 20000.* 20000/],
  ] as const)('%s refuses a window of %i with the figures', (profile, context_window, detail) => {
    const session = { ...SESSION, profile, context_window };
    given().when(createSession(WORLD, session)).rejects('invalid_config', detail);
  });

  it('names each problem of the initial context and creates nothing', () => {
    const session = { ...SESSION, initial_context: [user('fine'), { role: 'user' }, 5] };
    const outcome = createSession(WORLD, session)(null);
    expect(outcome).toMatchObject({
      ok: false,
      rejection: {
        code: 'invalid_item',
        errors: [{ path: 'initial_context.1.content' }, { path: 'initial_context.2' }],
      },
    });
  });
});

describe('configureSession', () => {
  it('records the change alone; fields of config are merged', () => {
    const change = { config: { auto_compact_pct_override: 50 }, model: 'm', metadata: { a: 1 } };
    const before = created({ config: { restore_max_files: 2, auto_compact_pct_override: 80 } });
    const event = { type: 'session.configured', data: change } as const;
    given(before)
      .when(configureSession(WORLD, change, 'c'))
      .yields(event);
    expect(headOf([before, event])?.settings).toEqual({
      format: 'anthropic',
      profile: 'default',
      config: { restore_max_files: 2, auto_compact_pct_override: 50 },
      model: 'm',
      context_window: 200_000,
      metadata: { a: 1 },
    });
  });

  it('refuses a window that has no room under the settings in force', () => {
    given(created({ profile: 'codex-v2' }))
      .when(configureSession(WORLD, { context_window: 16_000 }, 'c'))
      .rejects('invalid_config', /16000/);
    given(created({ context_window: 16_000 }))
      .when(configureSession(WORLD, { profile: 'claude-code' }, 'c'))
      .rejects('invalid_config', /16000/);
  });

  it('refuses an unknown session', () => {
    given()
      .when(configureSession(WORLD, {}, 'c'))
      .rejects('session_not_found', /POST \/sessions/);
  });
});
