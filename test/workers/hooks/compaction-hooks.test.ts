import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import type { EventOf, EventType, Mode } from '../../../src/domain/session/events.ts';
import { summarizerFromModelName } from '../../../src/workers/summarizers/registry.ts';
import { fails, HookServer, hangs, replies } from '../../support/hook-server.ts';
import { assistant, attachment, GHOST, ofTokens, tool, user } from '../../support/items.ts';
import { answer, type Behaviour, status } from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import { SessionLab } from '../../support/session-lab.ts';
import { summaryAnswer, summaryText } from '../../support/summary-text.ts';

const SUMMARY = answer(summaryAnswer());
// What the model has written is told as it was written.
const CONFIG: ConfigOverrides = {
  protected_tokens: 0,
  breaker_max_failures: 3,
  retention_check: 'report',
};
const ITEMS: Item[] = [
  GHOST,
  user(`Fix the parser. ${ofTokens(2_000)}`),
  attachment('file', ofTokens(200), 'src/parser.ts'),
  attachment('todo', 'the todo'),
  attachment('plan', 'the plan'),
  ...tool('t', 'Bash', 1_500),
  ...tool('t2', 'Bash', 1_500),
  assistant(ofTokens(1_000)),
];

let lab: SessionLab;
let hooks: HookServer;
let model: ScriptedModelServer;
beforeEach(async () => {
  hooks = await HookServer.start();
  model = await ScriptedModelServer.start();
});
afterEach(async () => {
  await hooks.close();
  await model.close();
  await lab.close();
});

async function open(config: ConfigOverrides = {}): Promise<void> {
  lab = await SessionLab.open('anthropic', {
    context_window: 200_000,
    config: { ...CONFIG, ...config },
  });
  await lab.append(ITEMS);
}

function withModel(...script: Behaviour[]): void {
  model.script(...script);
  const environment = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: model.openaiUrl };
  lab.summarizer = summarizerFromModelName('openai/gpt-4o-mini', environment);
}

/** Requests a compaction and runs it once; answers its id. */
async function compact(mode: Mode = 'full'): Promise<string> {
  const requested = await lab.request(mode);
  if (!requested.ok) throw new Error(requested.rejection.detail);
  await lab.work(requested.value.id);
  return requested.value.id;
}

async function ofType<T extends EventType>(type: T): Promise<EventOf<T>['data'][]> {
  const found = await lab.store.events(lab.ref, { types: [type] });
  // The query asked for nothing else.
  return found.map(({ data }) => data as EventOf<T>['data']);
}

async function entries() {
  return (await lab.view()).entries;
}

const promptOf = (index: number) => JSON.stringify(model.requests[index]?.body);

describe('PreCompact (SPEC 8, phase 2)', () => {
  it('runs before the model is asked, which then reads its instructions (CC-133, CC-176)', async () => {
    await open();
    withModel(SUMMARY);
    let askedBefore = -1;
    const first = hooks.hook('PreCompact', [
      (response, request) => {
        askedBefore = model.requests.length;
        replies({ new_custom_instructions: 'Keep the ports.' })(response, request);
      },
    ]);
    const second = hooks.hook(
      'PreCompact',
      [replies({ new_custom_instructions: ' ' }), replies({})],
      { name: 'second' },
    );
    const third = hooks.hook('PreCompact', [replies({ new_custom_instructions: 'And names.' })], {
      name: 'third',
    });
    lab.hooks = [first, second, third];
    await compact();
    expect(askedBefore).toBe(0);
    expect(promptOf(0)).toContain(String.raw`Keep the ports.\n\nAnd names.`);
    expect((await ofType('hook.ran')).map(({ hook, ok }) => [hook, ok])).toEqual([
      ['PreCompact', true],
      ['second', true],
      ['third', true],
    ]);
  });

  it('its instructions stand after those of the request, with a blank line (CC-133)', async () => {
    await open();
    withModel(SUMMARY);
    lab.hooks = [hooks.hook('PreCompact', [replies({ new_custom_instructions: 'B' })])];
    const requested = await lab.request('full', { instructions: 'A' });
    if (!requested.ok) throw new Error(requested.rejection.detail);
    await lab.work(requested.value.id);
    expect(hooks.bodies('PreCompact')).toMatchObject([
      { trigger: 'manual', custom_instructions: 'A', session_id: 'lab' },
    ]);
    expect(promptOf(0)).toContain(String.raw`A\n\nB`);
  });

  it('what it wants the user to see is part of the report (CC-134)', async () => {
    await open();
    lab.hooks = [
      hooks.hook('PreCompact', [replies({ user_display_message: 'Compacting' })]),
      hooks.hook('PreCompact', [replies({ user_display_message: 'for you' })], { name: 'more' }),
    ];
    await compact();
    expect((await ofType('compaction.completed'))[0]?.report.user_display_message).toBe(
      'Compacting\nfor you',
    );
  });

  it('may block: failed for good, the context as it was, no other hook called', async () => {
    await open();
    const before = await entries();
    lab.hooks = [
      hooks.hook('PreCompact', [replies({ block: true })], { name: 'guard' }),
      hooks.hook('PreCompact', [], { name: 'after' }),
      hooks.hook('SessionStart'),
      hooks.hook('PostCompact'),
    ];
    const compaction_id = await compact();
    expect(await ofType('compaction.failed')).toEqual([
      {
        compaction_id,
        reason: 'hook_blocked',
        message: 'hook "guard" blocked the compaction',
        attempt: 1,
        will_retry: false,
      },
    ]);
    expect(hooks.requests.map(({ path }) => path)).toEqual(['/guard']);
    expect(await entries()).toEqual(before);
  });

  it('a required one that fails ends the compaction', async () => {
    await open();
    lab.hooks = [hooks.hook('PreCompact', [fails(503)], { name: 'guard', required: true })];
    await compact();
    expect(await ofType('compaction.failed')).toMatchObject([
      {
        reason: 'hook_blocked',
        message: 'the required hook "guard" failed: the answer has status 503',
        will_retry: false,
      },
    ]);
  });

  it('another one that fails is recorded, and the compaction goes on', async () => {
    await open();
    lab.hooks = [hooks.hook('PreCompact', [fails(503)])];
    const compaction_id = await compact();
    expect(await ofType('hook.ran')).toEqual([
      {
        compaction_id,
        hook: 'PreCompact',
        event: 'PreCompact',
        ok: false,
        required: false,
        status: 503,
        error: 'the answer has status 503',
        duration_ms: expect.any(Number),
        result: {},
      },
    ]);
    expect(await ofType('compaction.completed')).toHaveLength(1);
  });

  it('is not called again by another attempt: what it said holds', async () => {
    await open();
    withModel(status(500), SUMMARY);
    lab.hooks = [
      hooks.hook('PreCompact', [
        replies({ new_custom_instructions: 'Keep the ports.', user_display_message: 'Hi' }),
      ]),
    ];
    const id = await compact();
    expect(await lab.work(id)).toEqual({ kind: 'done' });
    expect(hooks.requests).toHaveLength(1);
    expect(await ofType('hook.ran')).toHaveLength(1);
    for (const index of [0, 1]) expect(promptOf(index)).toContain('Keep the ports.');
    expect((await ofType('compaction.completed'))[0]?.report.user_display_message).toBe('Hi');
  });

  it('is called anew for another compaction', async () => {
    await open();
    lab.hooks = [hooks.hook('PreCompact')];
    await compact();
    await lab.append(ITEMS);
    await compact();
    expect(hooks.requests).toHaveLength(2);
  });

  it('is given up with a compaction that is cancelled while it hangs (CC-135)', async () => {
    await open();
    lab.hooks = [hooks.hook('PreCompact', [hangs])];
    const requested = await lab.request('full');
    if (!requested.ok) throw new Error(requested.rejection.detail);
    const abort = new AbortController();
    const working = lab.work(requested.value.id, abort.signal);
    await hooks.received(1);
    await lab.cancel(requested.value.id);
    abort.abort();
    expect(await working).toEqual({ kind: 'done' });
    expect((await lab.events()).at(-1)?.type).toBe('compaction.cancelled');
    expect(await ofType('hook.ran')).toEqual([]);
  });

  it('that answers after the cancellation changes nothing', async () => {
    await open();
    let answerIt = () => {};
    const slow = hooks.hook('PreCompact', [
      (response, request) => {
        answerIt = () => replies({ block: true })(response, request);
      },
    ]);
    lab.hooks = [slow];
    const requested = await lab.request('full');
    if (!requested.ok) throw new Error(requested.rejection.detail);
    const working = lab.work(requested.value.id);
    await hooks.received(1);
    await lab.cancel(requested.value.id);
    answerIt();
    expect(await working).toEqual({ kind: 'done' });
    expect((await lab.events()).at(-1)?.type).toBe('compaction.cancelled');
  });

  it('has no part in clearing tool results', async () => {
    await open({
      micro_compact_min_tokens_to_save: 100,
      micro_compact_keep_last_n_tools: 0,
      micro_compact_target_tokens: 0,
    });
    lab.hooks = [hooks.hook('PreCompact'), hooks.hook('PostCompact')];
    await compact('micro');
    expect(await ofType('compaction.micro_completed')).toHaveLength(1);
    expect(hooks.requests).toEqual([]);
  });
});

describe('a hook that blocks every automatic compaction (L8)', () => {
  it('opens the breaker', async () => {
    await open({ auto_compact_threshold: 5_000, min_new_tokens_between_compactions: 100 });
    lab.hooks = [hooks.hook('PreCompact', Array(9).fill(replies({ block: true })))];
    for (let round = 0; round < 6; round++) {
      const appended = await lab.append([user(ofTokens(200))]);
      if (!appended.ok) throw new Error(appended.rejection.detail);
      const { compaction } = appended.value;
      if (compaction !== null) await lab.work(compaction.id);
    }
    expect(await ofType('compaction.failed')).toHaveLength(3);
    expect(await ofType('breaker.opened')).toMatchObject([{ failures: 3 }]);
    expect(hooks.requests).toHaveLength(3);
    expect(hooks.bodies('PreCompact')[0]).toMatchObject({ trigger: 'auto' });
  });
});

describe('SessionStart (SPEC 8, phase 6)', () => {
  const origins = async () => (await entries()).map(({ origin }) => origin);

  it('its items stand after the plan, in front of ghosts and new items (CC-145, CC-148)', async () => {
    await open();
    const memory = attachment('memory', 'Use tabs.');
    lab.hooks = [
      hooks.hook('SessionStart', [replies({ items: [user('Mind the style.'), memory] })]),
      hooks.hook('SessionStart', [replies({ items: [user('Be brief.')] })], { name: 'more' }),
    ];
    await compact();
    await lab.append([user('Go on.')]);
    expect(await origins()).toEqual([
      'boundary',
      'preserved',
      'summary',
      'file',
      'todo',
      'plan',
      'hook',
      'hook',
      'hook',
      'ghost',
      'log',
    ]);
    const added = (await entries()).filter(({ origin }) => origin === 'hook');
    expect(added.map(({ item }) => item)).toEqual([
      user('Mind the style.'),
      memory,
      user('Be brief.'),
    ]);
  });

  it('what does not fit is left out: files first, then its items', async () => {
    await open({ auto_compact_threshold: 6_300 });
    lab.hooks = [
      hooks.hook('SessionStart', [replies({ items: [user('a'), user(ofTokens(6_100))] })]),
    ];
    await compact();
    expect(await origins()).toEqual([
      'boundary',
      'preserved',
      'summary',
      'todo',
      'plan',
      'hook',
      'ghost',
    ]);
    const { state } = await lab.head();
    expect(state.tokens).toBeLessThan(6_300);
  });

  it('a required one that fails ends the compaction after all', async () => {
    await open();
    const before = await entries();
    lab.hooks = [hooks.hook('SessionStart', [fails(500)], { required: true })];
    await compact();
    expect(await ofType('compaction.failed')).toMatchObject([
      { reason: 'hook_blocked', will_retry: false },
    ]);
    expect(await entries()).toEqual(before);
  });

  it('its items are not preserved as words of the user', async () => {
    await open({ preserve_user_messages: true });
    lab.hooks = [
      hooks.hook('SessionStart', Array(2).fill(replies({ items: [user('Mind the style.')] }))),
    ];
    await compact();
    await lab.append([user(`More. ${ofTokens(1_000)}`), assistant(ofTokens(1_000))]);
    await compact();
    const said = (await entries()).filter(({ item }) => item.content === 'Mind the style.');
    expect(said.map(({ origin }) => origin)).toEqual(['hook']);
  });
});

describe('PostCompact', () => {
  it('is told the summary; its items stand after everything and are no news (Q24)', async () => {
    await open();
    withModel(SUMMARY);
    let endedBefore = false;
    lab.hooks = [
      hooks.hook('PostCompact', [
        async (response, request) => {
          endedBefore = (await lab.head()).state.running === null;
          replies({ items: [user('Welcome back.')] })(response, request);
        },
      ]),
    ];
    const compaction_id = await compact();
    expect(endedBefore).toBe(true);
    expect(hooks.bodies('PostCompact')).toEqual([
      {
        hook_event_name: 'PostCompact',
        tenant: 'local',
        session_id: 'lab',
        compaction_id,
        trigger: 'manual',
        compact_summary: `Summary:\n${summaryText()}`,
      },
    ]);
    expect((await entries()).at(-1)).toMatchObject({ origin: 'log', item: user('Welcome back.') });
    const [hook, item] = (await lab.events()).slice(-2);
    expect(hook).toMatchObject({ type: 'hook.ran', data: { event: 'PostCompact', ok: true } });
    expect(item).toMatchObject({ type: 'item.appended', data: { source: 'hook' } });
    const { state } = await lab.head();
    expect(state).toMatchObject({ tokens_since_compaction: 0, messages: 0, running: null });
  });

  it('what would lift the context to its threshold is left out', async () => {
    await open({ auto_compact_threshold: 6_500 });
    const before = replies({ items: [user(ofTokens(6_000))] });
    lab.hooks = [hooks.hook('PostCompact', [before])];
    await compact();
    expect(await ofType('hook.ran')).toMatchObject([
      { ok: false, error: expect.stringContaining('left out'), result: {} },
    ]);
    expect((await lab.events()).at(-1)?.type).toBe('hook.ran');
  });

  it('is called when the summary was written from the log after all', async () => {
    await open();
    withModel(status(401));
    lab.hooks = [hooks.hook('PreCompact'), hooks.hook('PostCompact')];
    await compact();
    expect(hooks.requests.map(({ path }) => path)).toEqual(['/PreCompact', '/PostCompact']);
  });

  it('of a proposal is called once it is applied, and once', async () => {
    await open();
    withModel(SUMMARY);
    lab.hooks = [
      hooks.hook('PreCompact'),
      hooks.hook('PostCompact', [replies({ items: [user('Welcome back.')] })]),
    ];
    const requested = await lab.request('full', { propose: true });
    if (!requested.ok) throw new Error(requested.rejection.detail);
    const { id } = requested.value;
    await lab.work(id);
    await lab.append([user('Go on.'), assistant('Sure.')]);
    expect(hooks.requests.map(({ path }) => path)).toEqual(['/PreCompact']);
    expect((await lab.apply(id)).ok).toBe(true);
    const [job = ''] = lab.dispatched;
    await lab.work(job);
    await lab.work(job);
    expect(hooks.bodies('PostCompact')).toMatchObject([
      { compaction_id: id, trigger: 'manual', compact_summary: `Summary:\n${summaryText()}` },
    ]);
    expect((await entries()).at(-1)).toMatchObject({ item: user('Welcome back.') });
  });

  it('is not called when nothing was compacted', async () => {
    await open();
    lab.hooks = [hooks.hook('PostCompact'), hooks.hook('PreCompact')];
    await compact();
    await compact();
    expect((await ofType('compaction.skipped')).map(({ reason }) => reason)).toEqual([
      'nothing_to_compact',
    ]);
    expect(hooks.bodies('PostCompact')).toHaveLength(1);
    expect(hooks.bodies('PreCompact')).toHaveLength(1);
  });
});

it('without hooks nothing is recorded (CV-192)', async () => {
  await open();
  await compact();
  expect(await ofType('hook.ran')).toEqual([]);
});
