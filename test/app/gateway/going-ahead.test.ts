import { afterEach, beforeEach, expect, it } from 'vitest';
import { compact } from '../../../src/app/compact.ts';
import { type NamedBy, namedSession } from '../../../src/app/gateway/find-turn-session.ts';
import { GoingAhead } from '../../../src/app/gateway/going-ahead.ts';
import type { Protocol } from '../../../src/domain/gateway/protocol.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';
import { refOf, SyncLab } from '../../support/sync-lab.ts';

let lab: SyncLab;
let ahead: GoingAhead;
beforeEach(async () => {
  lab = await SyncLab.open();
  ahead = new GoingAhead(lab);
});
afterEach(() => lab.close());

const WINDOW = 400_000;
const TALK = [user('Hello'), assistant('Done.')];
const BODY = JSON.stringify({ messages: [...TALK, user('And now?')] });

/** A request as its headers tell it; of the tenant that the lab's sessions have. */
function asked(headers: Record<string, string> = {}, protocol: Protocol = 'messages'): NamedBy {
  const { tenant } = refOf('');
  const named = { 'x-palimpsest-session': 'talk', ...headers };
  return { protocol, tenant, owner: '', upstream: 'u', headers: named };
}

const goes = (headers: Record<string, string> = {}, body = BODY) =>
  ahead.goes(asked(headers), Buffer.from(body));

/** The session of these requests, whose last turn went as it came. */
async function begun(config = {}): Promise<string> {
  const session_id = namedSession(asked())?.session_id ?? '';
  await lab.create(session_id, 'anthropic', { context_window: WINDOW, config });
  await lab.sync(session_id, TALK);
  ahead.note(asked(), session_id);
  return session_id;
}

it('a request goes ahead where the one before went as it came, and nothing has changed since', async () => {
  const session_id = await begun();
  expect(await goes()).toBe(true);
  ahead.note(asked(), null);
  expect(await goes()).toBe(false);
  ahead.note(asked(), 'a-fork');
  expect(await goes()).toBe(false);
  ahead.note(asked(), session_id);
  expect(await goes()).toBe(true);
});

it('a request waits that nothing names, or whose session is not known here', async () => {
  await begun();
  const unnamed = { ...asked(), headers: {} };
  ahead.note(unnamed, 'whatever');
  expect(await ahead.goes(unnamed, Buffer.from(BODY))).toBe(false);
  expect(await goes({ 'x-palimpsest-session': 'another' })).toBe(false);
  expect(await ahead.goes(asked({}, 'chat'), Buffer.from(BODY))).toBe(false);
});

it.each([
  'an item of ours: {"type":"compaction","encrypted_content":"pal1.AAAA"}',
  'what Codex asks with: {"type":"compaction_trigger"}',
  'what Claude Code asks with: Your task is to create a detailed summary of the conversation',
  'the same of another version: CRITICAL: Respond with TEXT ONLY.',
])('a request waits whose body has %s', async (words) => {
  await begun();
  expect(await goes({}, `${BODY} ${words}`)).toBe(false);
});

it('a request waits where our tools are offered', async () => {
  await begun();
  expect(await goes({ 'x-palimpsest-recall': 'off' })).toBe(true);
  expect(await goes({ 'x-palimpsest-recall': 'on' })).toBe(false);
});

it('a request waits where they are offered by the configuration of its session', async () => {
  await begun({ gateway_recall: true });
  expect(await goes()).toBe(false);
});

it('a request waits where the window is nearly full: of its session, or the one that it names', async () => {
  const session_id = await begun();
  expect(await goes({}, BODY + ' '.repeat(4 * WINDOW))).toBe(false);
  expect(await goes({ 'x-palimpsest-context-window': '20' })).toBe(false);
  await lab.sync(session_id, [...TALK, user(ofTokens(0.8 * WINDOW))]);
  expect(await goes()).toBe(false);
});

it('a request waits while a compaction runs, and when it has changed the context', async () => {
  const session_id = await begun();
  const rounds = [1, 2, 3, 4].flatMap(() => [user(ofTokens(20_000)), assistant(ofTokens(20_000))]);
  await lab.sync(session_id, [...TALK, ...rounds]);
  expect(await goes()).toBe(true);
  const { signal } = new AbortController();
  const asking = { mode: 'full', trigger: 'manual' } as const;
  const waiting = { wait_seconds: 0, idempotency: null };
  expect((await compact(lab.ports, refOf(session_id), asking, waiting, signal)).ok).toBe(true);
  expect(lab.jobs).toHaveLength(1);
  expect(await goes()).toBe(false);
  await lab.work();
  expect((await lab.store.head(refOf(session_id)))?.state.running).toBeNull();
  expect(await goes()).toBe(false);
});

it('a request waits where the store is away', async () => {
  const session_id = await begun();
  const store = { ...lab.store, head: () => Promise.reject(new Error('away')) };
  ahead = new GoingAhead({ ...lab, store });
  ahead.note(asked(), session_id);
  expect(await goes()).toBe(false);
});
