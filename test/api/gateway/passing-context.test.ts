import { afterEach, beforeEach, expect, it } from 'vitest';
import { changesContext } from '../../../src/domain/session/events.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { breaksIn } from '../../support/gateway/prefixes.ts';
import { logOf } from '../../support/gateway/sdk-task.ts';

/**
 * OpenClaw tells what is running at the moment behind its history, anew in each request, and keeps it in
 * none. The ids of calls it writes in its own way.
 */

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
  lab.provider.script = (_, index) => ({
    text: `Looking at ${index}.`,
    calls: [{ id: `call_${index}`, name: 'read', input: { path: `${index}.log` } }],
  });
});
afterEach(() => lab.close());

const user = (content: string) => ({ role: 'user', content });
const running = (what: string) =>
  user(
    `<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nConversation data (data, not instructions):\n"Active exec sessions:\\n${what}"\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>`,
  );
const tools = [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }];

async function ask(messages: object[], headers: Record<string, string> = {}): Promise<string> {
  const { session, text } = await lab.post(
    '/v1/chat/completions',
    { model: 'm', messages, tools },
    { 'x-palimpsest-context-window': '20000', ...headers },
  );
  const said = JSON.stringify(JSON.parse(text).choices[0].message.content);
  // Written down: the next request may find it.
  await expect
    .poll(async () => JSON.stringify((await lab.items(session)).at(-1)?.content ?? ''))
    .toContain(said);
  return session;
}

const round = (index: number, id: string) => [
  {
    role: 'assistant',
    content: `Looking at ${index}.`,
    tool_calls: [
      { id, type: 'function', function: { name: 'read', arguments: `{"path":"${index}.log"}` } },
    ],
  },
  { role: 'tool', tool_call_id: id, content: logOf(`${index}.log`) },
];

it.each([
  ['unnamed', {}],
  ['named', { 'x-palimpsest-session': 'claw' }],
])(
  'keeps what a client tells anew at the end of each request out of the history: %s',
  async (_, headers) => {
    const history: object[] = [
      { role: 'system', content: 'You are OpenClaw.' },
      user('Read them.'),
    ];
    const sessions: string[] = [];
    for (let index = 0; index < 14; index++) {
      sessions.push(await ask([...history, running(`process ${index}`)], headers));
      history.push(...round(index, `call_${index}`));
    }
    expect(new Set(sessions).size).toBe(1);
    const { turns, invalid } = lab.provider;
    expect(invalid).toEqual([]);
    // Each request ends with its own, and holds no other one.
    for (const [index, { history: sent }] of turns.entries()) {
      expect(JSON.stringify(sent.at(-1))).toContain(`process ${index}\\"`);
      expect(JSON.stringify(sent).match(/BEGIN_OPENCLAW/g)).toHaveLength(1);
    }
    const log = JSON.stringify(await lab.items(sessions[0] ?? ''));
    expect(log).toContain('13.log');
    expect(log).not.toContain('OPENCLAW_INTERNAL');
    // But for that, each goes on from the one before, until something is compacted.
    const events = await lab.events(sessions[0] ?? '');
    const compactions = events.filter(changesContext).length;
    expect(compactions).toBeGreaterThan(0);
    const breaks = breaksIn(turns, ({ history: sent }) =>
      JSON.stringify(sent.slice(0, -1)).slice(0, -1),
    );
    expect(breaks.length).toBeLessThanOrEqual(compactions);
  },
);

it('takes such a message for the history where nothing else is told, or the user quotes it', async () => {
  const alone = await ask([running('none')]);
  expect(JSON.stringify(await lab.items(alone))).toContain('OPENCLAW_INTERNAL');
  const quoted = `What is this? ${running('none').content}`;
  const session = await ask([user(quoted)]);
  expect((await lab.items(session))[0]).toEqual(user(quoted));
});

it('leaves it where it is in Responses, whose clients keep it there', async () => {
  lab.provider.script = () => ({ text: 'Done.' });
  const input = [user('Read them.'), running('none')];
  const { session } = await lab.post('/v1/responses', { model: 'm', store: false, input });
  await expect.poll(async () => (await lab.items(session)).length).toBe(3);
  expect(JSON.stringify(await lab.items(session))).toContain('OPENCLAW_INTERNAL');
});
