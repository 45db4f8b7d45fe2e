import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json.ts';
import { send } from '../../support/api-server.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';
import type { Script } from '../../support/gateway/provider.ts';
import { type TalkingClient, talkingClient } from '../../support/gateway/talking-client.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const NEEDLE = 'The tower is painted in pelorous blue.';
const NOTES = Array.from({ length: 600 }, (_, line) =>
  line === 300 ? NEEDLE : `Note ${line}: stone ${line * 7} was laid.`,
).join('\n');
const SEARCH = 'palimpsest_search_history';
const QUESTION = 'Which colour is it?';
const headers = { 'x-palimpsest-recall': 'on', 'x-palimpsest-session': 'tower' };

/** Reads the notes; later it looks for the tower in its history, and tells what it has found. */
const script: Script = ({ history, body }, index) => {
  const last = JSON.stringify(history.at(-1));
  const call = (name: string, input: object) => ({ id: `call_${index}`, name, input });
  if (last.includes('Read the notes')) return { text: 'Reading.', calls: [call('read', {})] };
  if (!last.includes(QUESTION)) {
    const isFound = last.includes('pelorous') && !last.includes('Note 0:');
    return { text: isFound ? 'It is pelorous blue.' : `Answer ${index}.` };
  }
  if (!JSON.stringify(body.tools ?? []).includes(SEARCH)) return { text: 'I have forgotten.' };
  return { text: 'Let me look.', calls: [call(SEARCH, { query: 'tower painted' })] };
};

/** Works until the notes stand in the log alone; answers the session. */
async function forgetful(client: TalkingClient): Promise<string> {
  const { calls } = await client.tell({ text: 'Read the notes.' });
  await client.tell({ call_id: calls[0]?.id ?? '', result: NOTES });
  for (let turn = 0; turn < 3; turn++) await client.tell({ text: `Go on ${turn}.` });
  const id = await sessionId();
  await expect.poll(async () => (await items(id)).length).toBeGreaterThanOrEqual(10);
  const body = { mode: 'full' };
  const done = await send(lab.api, 'POST', `/sessions/${id}/compact`, { body });
  expect(done.status, done.text).toBe(202);
  const isDone = async () =>
    (await lab.events(id)).some(({ type }) => type === 'compaction.completed');
  await expect.poll(isDone).toBe(true);
  return id;
}

async function sessionId(): Promise<string> {
  const { data } = await lab.api.deps.store.sessions('local', { limit: 2 });
  expect(data).toHaveLength(1);
  return data[0]?.ref.session_id ?? '';
}

const items = (id: string) => lab.items(id);
const hiddenOf = async (id: string) =>
  (await items(id)).filter(({ is_hidden_from_client }) => is_hidden_from_client === true);

function starts(one: readonly JsonObject[] = [], other: readonly JsonObject[] = []): boolean {
  return JSON.stringify(other).startsWith(JSON.stringify(one).slice(0, -1));
}

const CASES = (['messages', 'chat', 'responses'] as const).flatMap((protocol) =>
  [true, false].map((stream) => ({ protocol, stream })),
);

describe.each(CASES)('$protocol, stream: $stream', ({ protocol, stream }) => {
  let client: TalkingClient;
  beforeEach(() => {
    client = talkingClient(protocol, { url: lab.url, stream, headers });
    lab.provider.script = script;
  });
  const sent = () => lab.provider.turns.map(({ history }) => history);

  it('answers what only the log knows, and goes on from it', async () => {
    const id = await forgetful(client);
    const before = sent().length;
    const heard = await client.tell({ text: QUESTION });
    expect(heard.texts.join('|')).toMatch(/^Let me look\.\|?It is pelorous blue\.$/);
    expect(heard.calls).toEqual([]);
    expect(heard.stop).toMatch(/^(end_turn|stop|completed)$/);
    const [asking, again] = sent().slice(before);
    expect(JSON.stringify(asking)).not.toContain('pelorous');
    expect(starts(asking, again)).toBe(true);

    await client.tell({ text: 'Thanks.' });
    await client.tell({ text: 'Go on.' });
    const all = sent().slice(before);
    expect(all).toHaveLength(4);
    for (const [index, history] of all.slice(1).entries()) {
      expect(starts(all[index], history), `request ${index + 1}`).toBe(true);
    }
    expect(lab.provider.invalid).toEqual([]);
    expect(await sessionId()).toBe(id);
    expect(await hiddenOf(id)).toHaveLength(2);
    const superseded = (await lab.events(id)).filter(({ type }) => type === 'item.superseded');
    expect(superseded).toEqual([]);
  });

  it('offers its tools from the first request on, behind those of the client', async () => {
    await client.tell({ text: 'Hello.' });
    await client.tell({ text: 'Go on.' });
    const [first, second] = lab.provider.turns.map(({ raw }) => raw.toString());
    const tools = JSON.stringify(lab.provider.turns[0]?.body.tools);
    const names = [...tools.matchAll(/"name":"([\w-]+)"/g)].map(([, name]) => name);
    expect(names).toEqual(['read', SEARCH, 'palimpsest_recall']);
    expect(JSON.stringify(lab.provider.turns[1]?.body.tools)).toBe(tools);
    expect(first).not.toContain('x-palimpsest');
    expect(second).toContain(tools);
  });

  it('a call of the client beside one of ours is answered by the client, and both have results', async () => {
    lab.provider.script = ({ history }, index) =>
      index === 0
        ? {
            text: 'Both.',
            calls: [
              { id: 'ours', name: SEARCH, input: { query: 'pelorous' } },
              { id: 'theirs', name: 'read', input: {} },
            ],
          }
        : { text: JSON.stringify(history).includes('"theirs"') ? 'Seen.' : 'Lost.' };
    const heard = await client.tell({ text: 'Look and read.' });
    expect(heard.calls.map(({ name }) => name)).toEqual(['read']);
    expect(heard.stop).toMatch(/^(tool_use|tool_calls|completed)$/);
    expect(lab.provider.turns).toHaveLength(1);
    const next = await client.tell({ call_id: 'theirs', result: 'What was read.' });
    expect(next.texts).toEqual(['Seen.']);
    const history = JSON.stringify(sent().at(-1));
    expect(history).toContain('What was read.');
    expect(history).toContain('nothing was found');
    expect(lab.provider.invalid).toEqual([]);
  });

  it('what is said before a look-up is told once, also where nothing but a call follows on it', async () => {
    const theirs = { id: 'theirs', name: 'read', input: {} };
    lab.provider.script = (_, index) =>
      [
        { text: 'Let me look.', calls: [{ id: 'ours', name: SEARCH, input: { query: 'x' } }] },
        { text: '', calls: [theirs] },
      ][index] ?? { text: 'Done.' };
    const heard = await client.tell({ text: 'Look, then read.' });
    expect(heard.texts).toEqual(['Let me look.']);
    await client.tell({ call_id: 'theirs', result: 'What was read.' });
    await client.tell({ text: 'And now?' });
    const id = await sessionId();
    await expect.poll(async () => JSON.stringify(await items(id)).split('Done.').length).toBe(3);
    const types = (await lab.events(id)).map(({ type }) => type);
    expect(types).not.toContain('item.superseded');
    expect(lab.provider.invalid).toEqual([]);
  });

  it('a model that calls for ever is asked three times more, and the client is told', async () => {
    lab.provider.script = (_, index) => ({
      text: '',
      calls: [{ id: `call_${index}`, name: SEARCH, input: { query: 'x' } }],
    });
    const heard = await client.tell({ text: 'Look.' });
    expect(lab.provider.turns).toHaveLength(4);
    expect(JSON.stringify(sent().at(-1))).toContain('last look-up of this turn');
    expect(heard.texts.join()).toContain('was stopped there');
    expect(heard.calls).toEqual([]);
    expect(heard.stop).toMatch(/^(end_turn|stop|completed)$/);
    lab.provider.script = () => ({ text: 'Well.' });
    await client.tell({ text: 'Go on.' });
    expect(starts(sent().at(-2), sent().at(-1))).toBe(true);
    expect(lab.provider.invalid).toEqual([]);
    expect(await hiddenOf(await sessionId())).toHaveLength(8);
  });

  it('tells the size of the context, what was written, and what was billed', async () => {
    await forgetful(client);
    const before = lab.provider.turns.length;
    const { usage } = await client.tell({ text: QUESTION });
    const [first = 0, last = 0] = lab.provider.turns.slice(before).map(({ tokens }) => tokens);
    const told = JSON.stringify(usage);
    expect(told).toMatch(new RegExp(`"(input|prompt)_tokens":${last}\\b`));
    // The stream of Anthropic's SDK keeps the figures that it knows.
    if (protocol === 'messages' && stream) return;
    const billed = `palimpsest_billed.*"(input|prompt)_tokens":${first + last}\\b`;
    expect(told).toMatch(new RegExp(billed));
  });

  it('what cannot be looked up is said to the model, and what is wrong with a call', async () => {
    const calls = [
      { id: 'one', name: SEARCH, input: { words: 'x' } },
      { id: 'two', name: 'palimpsest_recall', input: { tool_use_id: 'none' } },
    ];
    lab.provider.script = (_, index) =>
      index === 0 ? { text: '', calls } : { text: 'I could not find it.' };
    const { texts } = await client.tell({ text: 'Look.' });
    expect(texts).toEqual(['I could not find it.']);
    const history = JSON.stringify(sent().at(-1));
    expect(history).toContain('the arguments of search_history do not fit');
    expect(history).toContain('no result with this tool_use_id was ever recorded');
    expect(lab.provider.invalid).toEqual([]);
  });

  it('a provider that refuses to go on is heard, and the next try goes on from what was found', async () => {
    lab.provider.script = (received, index) => {
      if (index === 0) lab.provider.troubles.push('overloaded');
      return script(received, index);
    };
    await expect(client.tell({ text: QUESTION })).rejects.toThrow('everybody asks');
    await expect.poll(async () => (await hiddenOf(await sessionId())).length).toBe(2);
    await client.tell({ text: 'Well?' });
    expect(JSON.stringify(sent().at(-1))).toContain('nothing was found');
    expect(lab.provider.invalid).toEqual([]);
  });

  it('a later round that breaks off breaks off for the client, and the next try goes on from what was found', async () => {
    const id = await forgetful(client);
    lab.provider.script = (received, index) => {
      const said = script(received, index);
      if (said.calls !== undefined) lab.provider.troubles.push('cut');
      return said;
    };
    const before = sent().length;
    await expect(client.tell({ text: QUESTION })).rejects.toThrow();
    expect(sent()).toHaveLength(before + 2);
    await expect.poll(async () => (await hiddenOf(id)).length).toBe(2);
    lab.provider.script = ({ history }) => ({
      text: JSON.stringify(history).includes('pelorous') ? 'Pelorous.' : 'I have forgotten.',
    });
    const { texts } = await client.tell({ text: 'Well?' });
    expect(texts).toEqual(['Pelorous.']);
    expect(await sessionId()).toBe(id);
    expect(await hiddenOf(id)).toHaveLength(2);
    expect(lab.provider.invalid).toEqual([]);
  });
});

describe('without the header', () => {
  it('nothing is offered, and a call of that name is the client’s', async () => {
    const client = talkingClient('messages', { url: lab.url, stream: true, headers: {} });
    lab.provider.script = () => ({ text: '', calls: [{ id: 'c', name: SEARCH, input: {} }] });
    const { calls } = await client.tell({ text: 'Hello.' });
    expect(calls.map(({ name }) => name)).toEqual([SEARCH]);
    expect(lab.provider.turns[0]?.raw.toString()).not.toContain('palimpsest');
  });
});
