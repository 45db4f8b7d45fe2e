import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HookCall } from '../../../src/workers/hooks/hook-payload.ts';
import type { HookEvent, HookSettings } from '../../../src/workers/hooks/hook-settings.ts';
import { type HookContext, runHook } from '../../../src/workers/hooks/run-hook.ts';
import {
  breaksOff,
  fails,
  HOOK_SECRET,
  type HookBehaviour,
  HookServer,
  hangs,
  replies,
  says,
} from '../../support/hook-server.ts';
import { user } from '../../support/items.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const CALL: HookCall = {
  tenant: 'team-a',
  session_id: 'ünlü',
  compaction_id: 'c',
  is_automatic: true,
  instructions: 'Keep the port numbers.',
  summary: 'All is well.',
};

let server: HookServer;
beforeEach(async () => {
  server = await HookServer.start();
});
afterEach(() => server.close());

function run(hook: HookSettings, context: Partial<HookContext> = {}, call = CALL) {
  const signal = new AbortController().signal;
  return runHook(hook, call, { format: 'anthropic', signal, now: () => NOW, ...context });
}

describe('what a hook is sent', () => {
  it('PreCompact: trigger, instructions, session (CC-132, CC-204)', async () => {
    await run(server.hook('PreCompact'));
    await run(server.hook('PreCompact'), {}, { ...CALL, is_automatic: false, instructions: null });
    const common = {
      hook_event_name: 'PreCompact',
      tenant: 'team-a',
      session_id: 'ünlü',
      compaction_id: 'c',
    };
    expect(server.bodies('PreCompact')).toEqual([
      { ...common, trigger: 'auto', custom_instructions: 'Keep the port numbers.' },
      { ...common, trigger: 'manual', custom_instructions: null },
    ]);
  });

  it('SessionStart: its source is the compaction (CC-145)', async () => {
    await run(server.hook('SessionStart'));
    expect(server.bodies('SessionStart')).toEqual([
      {
        hook_event_name: 'SessionStart',
        tenant: 'team-a',
        session_id: 'ünlü',
        compaction_id: 'c',
        source: 'compact',
      },
    ]);
  });

  it('PostCompact: the summary (CC-149)', async () => {
    await run(server.hook('PostCompact'));
    expect(server.bodies('PostCompact')).toEqual([
      {
        hook_event_name: 'PostCompact',
        tenant: 'team-a',
        session_id: 'ünlü',
        compaction_id: 'c',
        trigger: 'auto',
        compact_summary: 'All is well.',
      },
    ]);
  });

  it('is one POST with a signature over timestamp and body', async () => {
    await run(server.hook('PreCompact'));
    const [request, ...more] = server.requests;
    if (request === undefined) throw new Error('the hook was not called');
    expect(more).toEqual([]);
    expect(request.method).toBe('POST');
    expect(request.headers['content-type']).toBe('application/json');
    const timestamp = request.headers['x-palimpsest-timestamp'];
    expect(timestamp).toBe(String(NOW / 1000));
    const signed = createHmac('sha256', HOOK_SECRET).update(`${timestamp}.${request.raw}`);
    expect(request.headers['x-palimpsest-signature']).toBe(`v1=${signed.digest('hex')}`);
    expect(JSON.stringify(request.headers)).not.toContain(HOOK_SECRET);
  });
});

describe('what a hook answers', () => {
  it.each<[string, HookEvent, HookBehaviour, object]>([
    ['nothing', 'PreCompact', fails(204), {}],
    ['an empty body', 'SessionStart', says(''), {}],
    ['an empty object', 'PostCompact', replies({}), {}],
    [
      'instructions, a message and a block',
      'PreCompact',
      replies({ new_custom_instructions: 'B', user_display_message: 'Hi', block: true }),
      { new_custom_instructions: 'B', user_display_message: 'Hi', block: true },
    ],
    [
      'unknown fields',
      'PreCompact',
      replies({ block: false, more: 1, items: 3 }),
      { block: false },
    ],
    ['items', 'SessionStart', replies({ items: [user('A')], block: 1 }), { items: [user('A')] }],
    [
      'an attachment',
      'PostCompact',
      replies({ items: [{ type: 'attachment', attachment: { kind: 'memory', content: 'm' } }] }),
      { items: [{ type: 'attachment', attachment: { kind: 'memory', content: 'm' } }] },
    ],
    ['no items', 'PostCompact', replies({ items: [] }), {}],
    [
      'the longest text',
      'PreCompact',
      replies({ new_custom_instructions: 'x'.repeat(20_000) }),
      { new_custom_instructions: 'x'.repeat(20_000) },
    ],
  ])('%s', async (_name, event, behaviour, result) => {
    const answered = await run(server.hook(event, [behaviour]));
    expect(answered).toMatchObject({ ok: true, error: null, hook: event, event, required: false });
    expect(answered?.result).toEqual(result);
  });

  it('is told with its status and its duration', async () => {
    let now = NOW;
    const clock = () => {
      now += 40;
      return now;
    };
    const hook = server.hook('PreCompact', [replies({})], { name: 'notes', required: true });
    expect(await run(hook, { now: clock })).toEqual({
      hook: 'notes',
      event: 'PreCompact',
      ok: true,
      required: true,
      status: 200,
      error: null,
      duration_ms: 40,
      result: {},
    });
  });

  const deep = JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`);
  const call = { type: 'tool_use', id: 't', name: 'Bash', input: {} };
  it.each<[string, HookEvent, HookBehaviour, number, RegExp]>([
    ['an error', 'PreCompact', fails(500), 500, /^the answer has status 500$/],
    ['a refusal', 'PreCompact', fails(404), 404, /^the answer has status 404$/],
    ['no JSON', 'PreCompact', says('{"block": tru'), 200, /^the answer is not valid JSON$/],
    ['no object', 'PreCompact', says('[1]'), 200, /^the answer's body does not fit/],
    ['a field of another kind', 'PreCompact', replies({ block: 'yes' }), 200, /'s block does not/],
    [
      'a text that is too long',
      'PreCompact',
      replies({ user_display_message: 'x'.repeat(20_001) }),
      200,
      /user_display_message does not fit: .*20000/,
    ],
    [
      'too many bytes',
      'PostCompact',
      says(' '.repeat(300_000)),
      200,
      /^the answer is larger than 262144 bytes$/,
    ],
    ['too many items', 'PostCompact', replies({ items: Array(101).fill(user('a')) }), 200, /100/],
    ['no list', 'PostCompact', replies({ items: user('a') }), 200, /items does not fit/],
    [
      'an item of another format',
      'PostCompact',
      replies({ items: [user('a'), { role: 'tool', content: 'b' }] }),
      200,
      /^the answer's items\.1\.role is not an item of format "anthropic": /,
    ],
    [
      'a tool call',
      'SessionStart',
      replies({ items: [{ role: 'assistant', content: [call] }] }),
      200,
      /items\.0 is neither a message of text/,
    ],
    [
      'a boundary',
      'SessionStart',
      replies({ items: [{ type: 'system', subtype: 'compact_boundary' }] }),
      200,
      /items\.0 is neither a message of text/,
    ],
    ['something deep', 'SessionStart', replies({ items: deep }), 200, /deeper than 64 levels/],
    [
      'an infinite number',
      'SessionStart',
      says('{"items":[{"role":1e999}]}'),
      200,
      /cannot be kept/,
    ],
    ['half of it', 'SessionStart', breaksOff, 200, /^the answer broke off \(UND_ERR_SOCKET\)$/],
  ])('%s is a failure', async (_name, event, behaviour, status, error) => {
    const answered = await run(server.hook(event, [behaviour]));
    expect(answered).toMatchObject({ ok: false, status, result: {} });
    expect(answered?.error).toMatch(error);
    expect(answered?.error).not.toContain('the words of the hook');
  });
});

describe('a hook that cannot be asked', () => {
  it('a redirect is not followed', async () => {
    const target = server.hook('PreCompact', [], { name: 'elsewhere' });
    const hook = server.hook('PreCompact', [fails(307, { location: target.url })]);
    const answered = await run(hook);
    expect(answered).toMatchObject({ ok: false, status: 307, result: {} });
    expect(answered?.error).toMatch(/redirect/);
    expect(server.bodies('elsewhere')).toEqual([]);
  });

  it('no answer within its time', async () => {
    const answered = await run(server.hook('PreCompact', [hangs], { timeout_seconds: 0.05 }));
    expect(answered).toMatchObject({
      ok: false,
      status: null,
      error: 'no answer within 0.05 seconds',
    });
  });

  it('a time that is no whole number of milliseconds', async () => {
    const hook = (behaviour: HookBehaviour, timeout_seconds: number) =>
      server.hook('PreCompact', [behaviour], { timeout_seconds });
    expect(await run(hook(replies({}), 30.0505))).toMatchObject({ ok: true });
    const answered = await run(hook(hangs, 0.0505));
    expect(answered).toMatchObject({ error: 'no answer within 0.0505 seconds' });
  });

  it('an answer that never ends', async () => {
    const dribbles: HookBehaviour = (response) => void response.writeHead(200).write(' ');
    const answered = await run(server.hook('PreCompact', [dribbles], { timeout_seconds: 0.2 }));
    expect(answered).toMatchObject({ ok: false, error: 'no answer within 0.2 seconds' });
  });

  it('nobody listens: neither URL nor secret are told', async () => {
    const gone = await HookServer.start();
    const hook = gone.hook('PreCompact', [], { name: 'token-in-the-path' });
    await gone.close();
    const answered = await run({ ...hook, name: 'h' });
    expect(answered).toMatchObject({ status: null, error: 'could not be reached (ECONNREFUSED)' });
    expect(JSON.stringify(answered)).not.toMatch(/127\.0\.0\.1|token-in-the-path/);
    expect(JSON.stringify(answered)).not.toContain(HOOK_SECRET);
  });

  it('null when the compaction is aborted while it hangs (CC-135)', async () => {
    const abort = new AbortController();
    const running = run(server.hook('PreCompact', [hangs]), { signal: abort.signal });
    await server.received(1);
    abort.abort();
    expect(await running).toBeNull();
  });

  it('null, and no call, when it was aborted before', async () => {
    expect(await run(server.hook('PreCompact'), { signal: AbortSignal.abort() })).toBeNull();
    expect(server.requests).toEqual([]);
  });
});
