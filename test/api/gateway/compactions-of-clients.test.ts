import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppDependencies } from '../../../src/api/app-dependencies.ts';
import type { SummaryOrder } from '../../../src/domain/compaction/summary-order.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { logOf } from '../../support/gateway/sdk-task.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const message = (role: string, text: string) => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
const HEAD = [
  message('developer', 'You are a coding agent.'),
  message('user', '<environment_context>\n  <cwd>/home/user/project</cwd>\n</environment_context>'),
];
const HISTORY = [
  ...HEAD,
  message('user', 'Read the logs and tell me why the nightly build fails.'),
  ...Array.from({ length: 6 }, (_, index) => [
    {
      type: 'function_call',
      id: `fc_${index}`,
      call_id: `call_${index}`,
      name: 'exec_command',
      arguments: `{"cmd":"cat ${index}.log"}`,
    },
    { type: 'function_call_output', call_id: `call_${index}`, output: logOf(`${index}.log`) },
  ]).flat(),
];
const NAME = { 'thread-id': 'codex' };

it.each([true, false])(
  'answers a compaction trigger with exactly one item (stream: %s)',
  async (stream) => {
    const input = [...HISTORY, { type: 'compaction_trigger' }];
    const asked = await lab.post(
      '/v1/responses',
      { model: 'gpt-5.4', store: false, stream, input },
      NAME,
    );
    expect(asked.status).toBe(200);
    expect(lab.provider.received).toEqual([]);
    const contents = asked.text.match(/pal1\.[\w-]+/g) ?? [];
    expect(new Set(contents).size).toBe(1);
    expect(asked.text).toContain(stream ? 'event: response.completed' : '"status":"completed"');
    const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: contents[0] };
    const user = message('user', 'Read the logs and tell me why the nightly build fails.');
    const next = [...HEAD, user, compaction, message('user', 'Go on.')];
    const answer = await lab.post(
      '/v1/responses',
      { model: 'gpt-5.4', store: false, input: next },
      NAME,
    );
    expect(answer.status, answer.text).toBe(200);
    const sent = lab.provider.received[0];
    const text = JSON.stringify(sent?.history);
    expect(text).not.toContain('pal1.');
    expect(text).toContain('exec_command');
    expect(text.split('You are a coding agent.')).toHaveLength(2);
    expect(text.split('/home/user/project</cwd>')).toHaveLength(2);
    expect(text.length).toBeLessThan(JSON.stringify(HISTORY).length / 2);
    expect(lab.provider.invalid).toEqual([]);
    // The log has all of it, and one compaction.
    expect(JSON.stringify(await lab.items(answer.session))).toContain('5.log:249 step');
    expect(await compactions(answer.session)).toEqual(['compaction.observed']);
    expect(asked.headers.get('palimpsest-session')).toBe(answer.session);
    expect(asked.headers.get('palimpsest-status')).toMatch(/^compacted; saved=\d{4,}$/);
  },
);

async function compactions(session: string): Promise<string[]> {
  const events = await lab.events(session);
  return events.flatMap(({ type }) => (type.startsWith('compaction.') ? [type] : []));
}

/** A lab whose summaries of the operator's model are those of `write`; what is asked for is kept. */
async function labWith(
  write: AppDependencies['summarize'],
  wait_seconds?: number,
): Promise<SummaryOrder[]> {
  const { summarize } = lab.api.deps;
  await lab.close();
  const orders: SummaryOrder[] = [];
  const own: AppDependencies['summarize'] = (order, signal) => {
    orders.push(order);
    return order.config.summarization_model === 'extractive'
      ? summarize(order, signal)
      : write(order, signal);
  };
  lab = await GatewayLab.open({ summarize: own }, undefined, wait_seconds);
  return orders;
}

const trigger = (input: object[]) => ({
  model: 'gpt-5.4',
  store: false,
  input: [...input, { type: 'compaction_trigger' }],
});
const itemOf = (text: string) => ({
  type: 'compaction',
  id: 'cmp_1',
  encrypted_content: text.match(/pal1\.[\w-]+/)?.[0] ?? '',
});

it("is answered by the operator's model, which reads what an older item of ours stands for", async () => {
  const orders = await labWith(async (order, signal) => {
    const config = { ...order.config, summarization_model: 'extractive' };
    const written = await lab.api.deps.summarize({ ...order, config }, signal);
    return written.ok
      ? { ok: true, summary: { ...written.summary, text: 'The model says so.' } }
      : written;
  });
  const first = await lab.post('/v1/responses', trigger(HISTORY), NAME);
  const next = [...HEAD, itemOf(first.text), ...HISTORY.slice(-4)];
  const second = await lab.post('/v1/responses', trigger(next), NAME);
  expect(lab.provider.received).toEqual([]);
  const models = orders.map(({ config }) => config.summarization_model);
  expect(models).toEqual([null, 'extractive', null, 'extractive']);
  expect(JSON.stringify(orders[2]?.plan.ledgers)).toContain('why the nightly build fails');
  await lab.post(
    '/v1/responses',
    { model: 'gpt-5.4', input: [...HEAD, itemOf(second.text)] },
    NAME,
  );
  expect(lab.provider.received[0]?.raw.toString()).toContain('The model says so.');
});

it.each([
  ['fails', () => Promise.resolve({ ok: false as const, message: 'no' })],
  ['throws', () => Promise.reject(new Error('no'))],
  ['hangs', () => new Promise<never>(() => {})],
])('is answered without a model where that %s', async (_, write) => {
  const orders = await labWith(write, 0.1);
  const answer = await lab.post('/v1/responses', trigger(HISTORY), NAME);
  expect(itemOf(answer.text).encrypted_content).not.toBe('');
  expect(orders).toHaveLength(2);
  expect(lab.provider.received).toEqual([]);
});

describe('/responses/compact', () => {
  const request = { model: 'gpt-5.4', input: HISTORY };

  it.each(['/v1/responses', '/u/other/v1/responses'])(
    'keeps what it compacts in the session of the request (%s)',
    async (path) => {
      const asked = await lab.post(`${path}/compact`, request, NAME);
      expect(asked.status, asked.text).toBe(200);
      const { object, output } = JSON.parse(asked.text);
      expect([object, output.length]).toEqual(['response.compaction', 1]);
      expect(asked.headers.get('palimpsest-status')).toMatch(/^compacted; saved=[1-9]\d*$/);
      expect(asked.headers.get('palimpsest-version')).toBe(String(1 + HISTORY.length));
      const next = { model: 'gpt-5.4', input: [...HEAD, ...output, message('user', 'Go on.')] };
      const answer = await lab.post(path, next, NAME);
      expect(answer.session).toBe(asked.session);
      expect(lab.provider.received).toHaveLength(1);
      expect(lab.provider.received[0]?.raw.toString()).not.toContain('pal1.');
      expect(JSON.stringify(await lab.items(answer.session))).toContain('5.log:249 step');
      expect(await compactions(answer.session)).toEqual(['compaction.observed']);
    },
  );

  it('compacts what went before an answer, and its item leads back to that session', async () => {
    const first = await lab.post('/v1/responses', request);
    await expect.poll(() => lab.items(first.session)).toHaveLength(HISTORY.length + 1);
    const { id } = JSON.parse(first.text);
    const body = { model: 'gpt-5.4', previous_response_id: id };
    const asked = await lab.post('/v1/responses/compact', body);
    expect(asked.status, asked.text).toBe(200);
    const { output } = JSON.parse(asked.text);
    const next = { model: 'gpt-5.4', input: [...output, message('user', 'Go on.')] };
    const answer = await lab.post('/v1/responses', next);
    expect(answer.session).toBe(first.session);
    expect(lab.provider.received[1]?.raw.toString()).toContain('nightly build fails');
    expect(await compactions(answer.session)).toEqual(['compaction.observed']);
    const unknown = { ...body, previous_response_id: 'resp_of_somebody' };
    const refused = await lab.post('/v1/responses/compact', unknown);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('previous_response_not_found');
  });

  describe('where the client has told all but its first question by the ids of answers', () => {
    /** The session, how many items it has, and the answer that its next request goes on from. */
    async function begun() {
      lab.provider.script = (_, index) => ({ text: logOf(`${index}.log`) });
      let id: string | undefined;
      let session = '';
      for (const [index, text] of ['Find it.', 'And?', 'What else?'].entries()) {
        const body = { model: 'gpt-5.4', previous_response_id: id, input: [message('user', text)] };
        const answer = await lab.post('/v1/responses', body);
        ({ session } = answer);
        id = JSON.parse(answer.text).id;
        await expect.poll(() => lab.items(session)).toHaveLength(2 * (index + 1));
      }
      return { session, id };
    }

    it('goes on in that session', async () => {
      const { session, id } = await begun();
      const body = { model: 'gpt-5.4', previous_response_id: id };
      const asked = await lab.post('/v1/responses/compact', body);
      const { output } = JSON.parse(asked.text);
      const next = { model: 'gpt-5.4', input: [...output, message('user', 'Go on.')] };
      expect((await lab.post('/v1/responses', next)).session).toBe(session);
      expect(await compactions(session)).toEqual(['compaction.observed']);
      await expect.poll(() => lab.items(session)).toHaveLength(8);
    });

    it('goes on in a fork from another past', async () => {
      const { session } = await begun();
      const input = [message('user', 'Find it.'), message('user', 'Something else entirely.')];
      const answer = await lab.post('/v1/responses', { model: 'gpt-5.4', input });
      expect(answer.session).not.toBe(session);
      expect(await lab.items(session)).toHaveLength(6);
    });
  });

  it('keeps nothing of a conversation that belongs to no session', async () => {
    const asked = await lab.post('/v1/responses/compact', request);
    expect(asked.status).toBe(200);
    expect(asked.headers.get('palimpsest-status')).toMatch(/^compacted; saved=[1-9]\d*$/);
    expect(asked.headers.get('palimpsest-session')).toBeNull();
    expect((await lab.api.deps.store.sessions('local', { limit: 5 })).data).toEqual([]);
  });

  it('needs no store, and no upstream of that name that is not set', async () => {
    vi.spyOn(lab.api.deps.store, 'head').mockRejectedValue(new Error('away'));
    expect((await lab.post('/v1/responses/compact', request, NAME)).status).toBe(200);
    expect((await lab.post('/u/nobody/v1/responses/compact', request, NAME)).status).toBe(404);
  });
});

it('refuses the thread of the SDK in the words with which that goes on by itself', async () => {
  const thread = { type: 'create' };
  const messages = [{ role: 'user', content: 'Hello' }];
  const answer = await lab.post('/v1/messages', { model: 'm', max_tokens: 9, thread, messages });
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text)).toMatchObject({
    type: 'error',
    error: {
      type: 'invalid_request_error',
      details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
    },
  });
});

describe('OpenCode, which puts its summary behind a question', () => {
  const NAMED = { prompt_cache_key: 'ses_1', store: false, model: 'gpt-5.4' };
  const post = async (input: object[]) => {
    const answer = await lab.post('/v1/responses', { ...NAMED, input });
    expect(answer.status, answer.text).toBe(200);
    expect(lab.provider.turns.at(-1)?.body.input).toEqual(input);
    await expect.poll(async () => (await lab.items(answer.session)).at(-1)?.role).toBe('assistant');
    return { ...answer, output: JSON.parse(answer.text).output };
  };
  /** As OpenCode sends an answer back: without what says nothing. */
  const sentBack = (output: { id: string; content: { text: string }[] }[]) =>
    output.map(({ id, content }) => ({
      role: 'assistant',
      id,
      content: [{ type: 'output_text', text: content[0]?.text }],
    }));

  it('goes on in its session after each of its compactions, byte for byte', async () => {
    lab.provider.script = (_, index) => ({ text: `Words ${index}.` });
    let past: object[] = [...HEAD.slice(0, 1), message('user', 'Mend the build.')];
    const sessions = new Set<string>();
    for (let compaction = 0; compaction < 3; compaction++) {
      for (let turn = 0; turn < 2; turn++) {
        const { session, output } = await post(past);
        sessions.add(session);
        past.push(...sentBack(output), message('user', `And ${compaction} ${turn}?`));
      }
      const conversation = `Here is the conversation so far:\n\n${JSON.stringify(past)}`;
      const asked = await post([
        message('developer', 'You are a context summarization agent.'),
        message('user', conversation),
      ]);
      expect(sessions).not.toContain(asked.session);
      past = [
        ...HEAD.slice(0, 1),
        message('user', 'What did we do so far?'),
        ...sentBack(asked.output),
        message('user', 'Continue if you have next steps, or stop and ask for clarification.'),
      ];
    }
    const { session } = await post(past);
    expect([...sessions]).toEqual([session]);
    const observed = (await lab.events(session)).flatMap((event) =>
      event.type === 'compaction.observed' ? [event.data] : [],
    );
    expect(observed.map(({ summary_text }) => summary_text)).toEqual([
      'Words 2.',
      'Words 5.',
      'Words 8.',
    ]);
    expect(observed[0]?.entries.map(({ origin }) => origin)).toEqual([
      'preserved',
      'preserved',
      'summary',
    ]);
    expect(lab.provider.invalid).toEqual([]);
  });
});

it('forwards byte for byte what goes on in a fork, told without what says nothing', async () => {
  lab.provider.script = (_, index) => ({ text: `Words ${index}.` });
  const named = { prompt_cache_key: 'forked', store: false, model: 'gpt-5.4' };
  const past: object[] = [message('user', 'Mend the build.')];
  const first = await lab.post('/v1/responses', { ...named, input: past });
  const other: object[] = [message('user', 'Mend the roof.')];
  for (let turn = 0; turn < 3; turn++) {
    const { session, text, headers } = await lab.post('/v1/responses', { ...named, input: other });
    expect(session).not.toBe(first.session);
    expect(headers.get('palimpsest-status')).toBe('forwarded');
    expect(lab.provider.turns.at(-1)?.body.input).toEqual(other);
    await expect.poll(async () => (await lab.items(session)).at(-1)?.role).toBe('assistant');
    const [{ content }] = JSON.parse(text).output;
    const words = [{ type: 'output_text', text: content[0].text }];
    other.push({ role: 'assistant', content: words }, message('user', `And ${turn}?`));
  }
});
