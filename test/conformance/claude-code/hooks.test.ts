import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hookTables } from '../../../src/config/hook-table.ts';
import { HookServer, hangs, replies } from '../../support/hook-server.ts';
import { assistant, attachment, ofTokens, user } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { append, compact, compactByItself, last, StubModel, steps } from '../lab.ts';
import { openLab } from './lab.ts';

const TALK = [user(`Fix the parser. ${ofTokens(3_000)}`), attachment('plan', 'First the parser.')];

let hooks: HookServer;
let lab: SessionLab;
let model: StubModel;
beforeEach(async () => {
  hooks = await HookServer.start();
  lab = await openLab();
  model = StubModel.of(lab, summaryAnswer());
});
afterEach(() => hooks.close());

/** The instructions in the newest prompt. */
function instructions(): string | undefined {
  return /## Additional instructions\n\n([\s\S]*?)\n\n## Length/.exec(model.prompt)?.[1];
}

describe('PreCompact hooks', () => {
  it('CC-132, CC-204: are told the trigger, the instructions and the session', async () => {
    lab.hooks = [hooks.hook('PreCompact')];
    await append(lab, ...TALK);
    await compact(lab, 'full', 'Keep the names.');
    await compactByItself(lab, user(ofTokens(150_000)));
    expect(hooks.bodies('PreCompact')).toEqual([
      {
        hook_event_name: 'PreCompact',
        tenant: 'local',
        session_id: 'lab',
        compaction_id: expect.any(String),
        trigger: 'manual',
        custom_instructions: 'Keep the names.',
      },
      {
        hook_event_name: 'PreCompact',
        tenant: 'local',
        session_id: 'lab',
        compaction_id: expect.any(String),
        trigger: 'auto',
        custom_instructions: null,
      },
    ]);
  });

  it('CC-132, CC-146, CC-204: one that a tool has asked for is manual, for them and the boundary', async () => {
    lab.hooks = [hooks.hook('PreCompact'), hooks.hook('PostCompact')];
    await append(lab, ...TALK);
    const requested = await lab.request('full', { trigger: 'tool' });
    if (!requested.ok) throw new Error(requested.rejection.detail);
    await lab.work(requested.value.id);
    for (const event of ['PreCompact', 'PostCompact'] as const) {
      expect(hooks.bodies(event)).toMatchObject([{ trigger: 'manual' }]);
    }
    const { entries } = last(await lab.events(), 'compaction.completed').data;
    const [boundary, summary] = entries;
    expect(boundary?.item.compact_metadata).toMatchObject({ trigger: 'manual' });
    expect(JSON.stringify(summary?.item)).not.toContain('Please continue the conversation');
  });

  it.each([
    ['A', 'B', 'A\n\nB'],
    [undefined, 'B', 'B'],
    ['A', '', 'A'],
  ])(
    'CC-133, CC-176, CC-178, CC-205: %j and %j of the hook become %j',
    async (own, added, both) => {
      lab.hooks = [hooks.hook('PreCompact', [replies({ new_custom_instructions: added })])];
      await append(lab, ...TALK);
      await compact(lab, 'full', own);
      expect(instructions()).toBe(both);
    },
  );

  it('CC-134, CC-205: their message for the user is part of the result', async () => {
    const user_display_message = 'Notes were saved.';
    lab.hooks = [hooks.hook('PreCompact', [replies({ user_display_message })])];
    await append(lab, ...TALK);
    const { report } = last(await compact(lab, 'full'), 'compaction.completed').data;
    expect(report.user_display_message).toBe('Notes were saved.');
  });

  it('CC-135: are given up when the compaction is', async () => {
    lab.hooks = [hooks.hook('PreCompact', [hangs])];
    await append(lab, ...TALK);
    const requested = await lab.request('full');
    if (!requested.ok) throw new Error(requested.rejection.detail);
    const stop = new AbortController();
    const working = lab.work(requested.value.id, stop.signal);
    await hooks.received(1);
    await lab.cancel(requested.value.id);
    stop.abort();
    await working;
    expect(model.requests).toEqual([]);
    expect(steps(await lab.events()).slice(-3)).toEqual(['requested', 'started', 'cancelled']);
  });
});

describe('hooks after the summary', () => {
  const note = user('A note of the hook.', { is_meta: true });

  it('CC-145: SessionStart hooks are told the source compact', async () => {
    lab.hooks = [hooks.hook('SessionStart')];
    await append(lab, ...TALK);
    await compact(lab, 'full');
    expect(hooks.bodies('SessionStart')).toEqual([
      {
        hook_event_name: 'SessionStart',
        tenant: 'local',
        session_id: 'lab',
        compaction_id: expect.any(String),
        source: 'compact',
      },
    ]);
  });

  it('CC-148: their results stand after the plan, in front of what is new', async () => {
    lab.hooks = [hooks.hook('SessionStart', [replies({ items: [note] })])];
    await append(lab, ...TALK);
    await compact(lab, 'full');
    await append(lab, user('And now?'));
    const { entries } = await lab.view();
    const origins = entries.map(({ origin }) => origin);
    expect(origins).toEqual(['boundary', 'summary', 'plan', 'hook', 'log']);
    expect(entries[3]?.item).toEqual(note);
  });

  it('CC-149: PostCompact hooks run after that, and their results come last', async () => {
    const later = user('Later.', { is_meta: true });
    lab.hooks = [
      hooks.hook('PostCompact', [replies({ items: [later] })]),
      hooks.hook('SessionStart', [replies({ items: [note] })]),
    ];
    await append(lab, ...TALK, assistant('The parser is mended.'));
    await compact(lab, 'full');
    expect(hooks.requests.map(({ path }) => path)).toEqual(['/SessionStart', '/PostCompact']);
    const { entries } = await lab.view();
    expect(entries.slice(-2).map(({ item }) => item)).toEqual([
      note,
      { ...later, speaker: 'hook' },
    ]);
  });

  it('CC-149: none stands after a question that waits for its answer', async () => {
    const later = user('Later.', { is_meta: true });
    lab.hooks = [hooks.hook('PostCompact', [replies({ items: [later] })])];
    await append(lab, ...TALK, assistant('The parser is mended.'));
    const model = StubModel.of(lab, summaryAnswer());
    const summarize = model.ask.bind(model);
    model.ask = async (request) => {
      await append(lab, user('And the lexer?'));
      return summarize(request);
    };
    await compact(lab, 'full');
    expect(hooks.bodies('PostCompact')).toHaveLength(1);
    expect((await lab.view()).entries.at(-1)?.item).toEqual(user('And the lexer?'));
  });

  it('CC-132, CC-145: the one before the summary, the other after it', async () => {
    const order: string[] = [];
    const noting = (name: string) =>
      hooks.hook(name === 'PreCompact' ? 'PreCompact' : 'SessionStart', [
        (response) => {
          order.push(name);
          response.writeHead(204).end();
        },
      ]);
    lab.hooks = [noting('SessionStart'), noting('PreCompact')];
    const summarize = model.ask.bind(model);
    model.ask = (request) => {
      order.push('model');
      return summarize(request);
    };
    await append(lab, ...TALK);
    const { at } = last(await compact(lab, 'full'), 'compaction.completed');
    expect(order).toEqual(['PreCompact', 'model', 'SessionStart']);
    const ran = (await lab.events()).filter(({ type }) => type === 'hook.ran');
    expect(ran.map((event) => event.at < at)).toEqual([true, true]);
  });
});

describe('the registry', () => {
  it.each([
    ['PreCompact', true],
    ['SessionStart', true],
    ['PostCompact', true],
    ['SessionEnd', false],
    ['Stop', false],
    ['SubagentStart', false],
    ['SubagentStop', false],
    ['PermissionRequest', false],
  ])('CC-149, CC-203: a hook for %s can be configured: %s', (event, isKnown) => {
    const table = { event, url: 'https://example.org/hook', secret_env: 'HOOK_SECRET' };
    expect(hookTables.safeParse([table]).success).toBe(isKnown);
  });
});
