import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../src/app/ports/store-unavailable-error.ts';
import type { SummaryOrder } from '../../../src/domain/compaction/summary-order.ts';
import { send as sendTo } from '../../support/api-server.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { logOf } from '../../support/gateway/sdk-task.ts';
import { openTestStore } from '../../support/open-test-store.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const INSTRUCTION =
  'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is to create a detailed ' +
  'summary of the conversation so far, an <analysis> block followed by a <summary> block.';
const FOCUS = '\n\nAdditional Instructions:\nkeep what is said about umlauts';
const headers = { 'x-claude-code-session-id': 'cc' };
const user = (...content: object[]) => ({ role: 'user', content });
const text = (said: string) => ({ type: 'text', text: said });
const round = (index: number) => [
  {
    role: 'assistant',
    content: [
      { type: 'tool_use', id: `t${index}`, name: 'Bash', input: { command: `cat ${index}` } },
    ],
  },
  user({ type: 'tool_result', tool_use_id: `t${index}`, content: logOf(`night-${index}.log`) }),
];
const HISTORY = [
  user(text('Find out why the build of gadget_v7 fails.')),
  ...[0, 1, 2].flatMap(round),
];
const body = (messages: object[], more: object = {}) => ({
  model: 'claude-opus-5-5',
  max_tokens: 100,
  messages,
  ...more,
});

/** The history with the instruction behind the newest result, as the client sends it. */
function asked(messages: object[], instruction = INSTRUCTION): object[] {
  const last = messages.at(-1) as { content: object[] };
  return [...messages.slice(0, -1), user(...last.content, text(instruction))];
}

const continued = (summary: string) =>
  user(
    text(
      'This session is being continued from a previous conversation that ran out of context. The ' +
        `summary below covers the earlier portion of the conversation.\n\n${summary}`,
    ),
  );

describe("Claude Code's own compaction", () => {
  it.each([false, true])(
    'is answered from the log, and is one compaction (stream: %s)',
    async (stream) => {
      lab.provider.script = () => ({
        text: '',
        calls: [{ id: 't3', name: 'Bash', input: { command: 'cat 3' } }],
      });
      const first = await lab.post('/v1/messages', body(HISTORY), headers);
      await expect.poll(() => lab.items(first.session)).toHaveLength(HISTORY.length + 1);
      // The newest round, of which the log has the call already, is left out.
      const client = new Anthropic({
        baseURL: lab.url,
        apiKey: 'sk',
        defaultHeaders: headers,
      });
      // Its own credential gives it sessions of its own: this one is found by its history.
      const request = body(asked(HISTORY)) as Anthropic.MessageCreateParamsNonStreaming;
      const message = stream
        ? await client.messages.stream(request).finalMessage()
        : await client.messages.create(request);
      expect(lab.provider.received).toHaveLength(1);
      expect(message).toMatchObject({ role: 'assistant', stop_reason: 'end_turn' });
      const [block] = message.content;
      const summary = block?.type === 'text' ? block.text : '';
      expect(summary).toMatch(/^<summary>\n[\s\S]*gadget_v7[\s\S]*\n<\/summary>$/);
      expect(summary.length).toBeLessThan(JSON.stringify(HISTORY).length / 4);

      const events = await lab.events(first.session);
      expect(events.filter(({ type }) => type === 'item.superseded')).toEqual([]);
      const next = [continued(summary), ...round(3)];
      const answer = await lab.post('/v1/messages', body(next), headers);
      expect([answer.status, answer.session]).toEqual([200, first.session]);
      const after = await lab.events(first.session);
      const compactions = after.filter(({ type }) => type.startsWith('compaction.'));
      expect(compactions.map(({ type }) => type)).toEqual(['compaction.observed']);
      expect(JSON.stringify(await lab.items(first.session))).toContain('night-0.log:249 step');
      expect(lab.provider.invalid).toEqual([]);
    },
  );

  it('tells its summariser what the user wants to read, and of what earlier summaries stand for', async () => {
    const { summarize } = lab.api.deps;
    await lab.close();
    const orders: SummaryOrder[] = [];
    lab = await GatewayLab.open({
      summarize: (order, signal) => {
        orders.push(order);
        return summarize(order, signal);
      },
    });
    const first = await lab.post(
      '/v1/messages',
      body(asked(HISTORY, INSTRUCTION + FOCUS)),
      headers,
    );
    expect(first.headers.get('palimpsest-status')).toMatch(/^compacted; saved=\d{4,}$/);
    expect(orders[0]?.focus).toBe('keep what is said about umlauts');
    expect(orders[0]?.model).toBe('claude-opus-5-5');
    const summary = JSON.parse(first.text).content[0].text;
    const next = [continued(summary), ...[3, 4].flatMap(round)];
    await lab.post('/v1/messages', body(next), headers);
    const again = await lab.post('/v1/messages', body(asked(next)), headers);
    // The file of the first round stands in no message that the client still has.
    expect(JSON.stringify(orders.at(-1)?.plan.ledgers)).toContain('gadget_v7');
    expect(JSON.parse(again.text).content[0].text).toContain('gadget_v7');
  });

  it('is written without a model where that does not answer in time, and without a store', async () => {
    const { summarize } = lab.api.deps;
    await lab.close();
    const store = await openTestStore();
    const away = () => Promise.reject(new StoreUnavailableError('not_written', new Error('away')));
    store.head = away;
    store.commit = away;
    lab = await GatewayLab.open(
      {
        store,
        summarize: (order, signal) =>
          order.config.summarization_model === 'extractive'
            ? summarize(order, signal)
            : new Promise(() => {}),
      },
      undefined,
      0.2,
    );
    const answer = await lab.post('/v1/messages', body(asked(HISTORY)), headers);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('gadget_v7');
    expect(lab.provider.received).toEqual([]);
  });

  it('goes to its model where compaction is switched off', async () => {
    await lab.close();
    lab = await GatewayLab.open({ world: { server: { enabled: false }, tokenizers: {} } });
    const answer = await lab.post('/v1/messages', body(asked(HISTORY)), headers);
    expect(answer.text).toContain('Done.');
    expect(answer.headers.get('palimpsest-status')).toBe('bypassed; reason=nothing_to_compact');
  });
});

it('keeps what the user asks in the message of the summary through a compaction of ours', async () => {
  const send = async (messages: object[]) => {
    const sent = body(messages);
    const answer = await lab.post('/v1/messages', sent, headers);
    expect(answer.status, answer.text).toBe(200);
    // Its answer is in the log, too.
    const last = async () => (await lab.items(answer.session)).at(-1)?.role;
    await expect.poll(last).toBe('assistant');
    return { answer, sent };
  };
  const { answer: first } = await send(HISTORY);
  const joined = user(
    ...continued('The logs 0 to 2 were read.').content,
    text('<local-command-caveat>Caveat: these are local commands.</local-command-caveat>'),
    text('<command-name>/compact</command-name>\n<command-args></command-args>'),
    text('<local-command-stdout>Compacted</local-command-stdout>'),
    text('Now find out what slows down widget_v9.'),
  );
  const history: object[] = [joined];
  const { answer, sent } = await send(history);
  expect(answer.session).toBe(first.session);
  // As it came.
  expect(lab.provider.turns.at(-1)?.raw.toString()).toBe(JSON.stringify(sent));
  for (let index = 3; index < 9; index++) {
    history.push(...round(index));
    await send(history);
  }
  const own = `/sessions/${first.session}`;
  const done = await sendTo(lab.api, 'POST', `${own}/compact`, { body: { mode: 'full' } });
  expect(done.status, done.text).toBe(202);
  const isDone = async () =>
    (await lab.events(first.session)).some(
      ({ type, data }) =>
        type === 'compaction.completed' && JSON.stringify(data).includes('"full"'),
    );
  await expect.poll(isDone).toBe(true);
  history.push(...round(9));
  await send(history);
  const last = JSON.stringify(lab.provider.turns.at(-1)?.history);
  expect(last).toContain('widget_v9');
  expect(last).not.toContain('night-3.log:249 step');
  const get = async (path: string) => (await sendTo(lab.api, 'GET', own + path)).text;
  expect(await get('/ledger?kind=request')).toContain('widget_v9');
  await expect.poll(() => get('/search?q=widget_v9')).toContain('"role":"user"');
  const items = await lab.items(first.session);
  expect(items.filter((item) => JSON.stringify(item).includes('widget_v9'))).toHaveLength(1);
  expect(lab.provider.invalid).toEqual([]);
});

it('sends an edited request in the message of the summary on as it came', async () => {
  const summary = continued('The logs 0 to 2 were read.');
  const next = (said: string) => user(...summary.content, text(said));
  const { session } = await lab.post('/v1/messages', body(HISTORY), headers);
  await expect.poll(() => lab.items(session)).toHaveLength(HISTORY.length + 1);
  await lab.post('/v1/messages', body([next('Now widget_v9.'), ...round(3)]), headers);
  const edited = body([next('Now widget_v10.'), ...round(4)]);
  const answer = await lab.post('/v1/messages', edited, headers);
  expect(answer.session).not.toBe(session);
  expect(answer.headers.get('palimpsest-status')).toBe('forwarded');
  expect(lab.provider.turns.at(-1)?.raw.toString()).toBe(JSON.stringify(edited));
});
