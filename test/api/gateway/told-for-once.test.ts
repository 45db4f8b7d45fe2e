import { afterEach, beforeEach, expect, it } from 'vitest';
import { send } from '../../support/api-server.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';

/**
 * What clients put into one request alone, and leave out of the history later: Strands Agents fold what
 * they remember, or what time it is, into the newest message of the user.
 */

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const text = (words: string) => ({ type: 'text', text: words });
const memory = (n: number) =>
  text(`\n\n<memory>\n<entry>The user is called Ann, entry ${n}.</entry>\n</memory>`);

it('what is put into the newest message alone begins no other session, and is none of its context', async () => {
  const history: object[] = [];
  let round = 0;
  lab.provider.script = ({ history: sent }) =>
    JSON.stringify(sent.at(-1)).includes('<memory>')
      ? {
          text: 'I look.',
          calls: [{ id: `call_${round}`, name: 'bash', input: { command: 'ls' } }],
        }
      : { text: `Found ${round}.` };
  const tool = { type: 'function', function: { name: 'bash', parameters: { type: 'object' } } };
  const ask = async (messages: object[]) => {
    const system = { role: 'system', content: 'You are a careful builder.' };
    const body = { model: 'm', tools: [tool], messages: [system, ...messages] };
    const { session, text: answer } = await lab.post('/v1/chat/completions', body);
    const [{ message }] = JSON.parse(answer).choices;
    await expect
      .poll(async () => (await lab.items(session)).at(-1))
      .toMatchObject({
        role: 'assistant',
        content: message.content,
      });
    return { session, message };
  };
  const sessions = new Set<string>();
  for (const question of ['What is here?', 'And now?', 'And then?']) {
    round += 1;
    const asked = { role: 'user', content: [text(question)] };
    const first = await ask([...history, { ...asked, content: [text(question), memory(round)] }]);
    const result = { role: 'tool', tool_call_id: `call_${round}`, content: `a.txt of ${round}` };
    history.push(asked, first.message, result);
    const second = await ask(history);
    history.push(second.message);
    sessions.add(first.session).add(second.session);
  }
  expect([...sessions]).toHaveLength(1);
  const [session] = sessions;
  const context = (await send(lab.api, 'GET', `/sessions/${session}/context`)).text;
  expect(context).not.toContain('<memory>');
  for (const word of ['What is here?', 'And now?', 'And then?', 'a.txt of 3', 'Found 3.']) {
    expect(context.split(word)).toHaveLength(2);
  }
});
