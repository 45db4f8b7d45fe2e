import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { send } from '../../support/api-server.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';

/**
 * Kimi Code asks for a summary at the end of its history, and begins its history with the requests of the
 * user and that summary from then on. Its session is named by `prompt_cache_key`.
 */

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const QUESTION =
  'You are about to run out of context. Create a handoff summary for the\n' +
  'model that will resume this task after the earlier conversation is cleared.';
const summarised = (text: string) =>
  'The conversation so far has been compacted to free up context. What follows is your own working ' +
  `summary of this task — use it to continue your train of thought rather than starting over.\n${text}`;
const user = (content: string) => ({ role: 'user', content });
const answered = z.object({
  choices: z.array(z.object({ message: z.looseObject({ content: z.string() }) })),
});

async function ask(messages: object[]) {
  const { text, session } = await lab.post('/v1/chat/completions', {
    model: 'm',
    prompt_cache_key: 'kimi',
    tools: [{ type: 'function', function: { name: 'Read', parameters: { type: 'object' } } }],
    messages: [{ role: 'system', content: 'You are Kimi Code CLI.' }, ...messages],
  });
  const { choices } = answered.parse(JSON.parse(text));
  const [choice] = choices;
  if (choice === undefined) throw new Error('there is no choice');
  return { session, message: choice.message };
}

it('goes on in one session, in which only the user has asked for anything', async () => {
  lab.provider.script = ({ raw }, index) =>
    raw.toString().includes('Create a handoff summary')
      ? { text: `The logs up to ${index} were read.` }
      : {
          text: `Log ${index}.`,
          calls: [{ id: `call_${index}`, name: 'Read', input: { path: `${index}.log` } }],
        };
  const opening = user('Why does the nightly build fail?');
  const sessions = new Set<string>();
  let past: object[] = [opening];
  for (let compaction = 0; compaction < 3; compaction++) {
    for (let round = 0; round < 3; round++) {
      const { session, message } = await ask(past);
      sessions.add(session);
      const id = z.array(z.object({ id: z.string() })).parse(message.tool_calls)[0]?.id;
      past.push(message, { role: 'tool', tool_call_id: id, content: `All is well in ${id}.` });
    }
    const { session, message } = await ask([...past, user(QUESTION)]);
    sessions.add(session);
    past = [
      opening,
      user(summarised(message.content)),
      user(
        '<system-reminder>\nContext compaction is complete — continue the work that was in progress when it began.\n</system-reminder>',
      ),
    ];
  }
  const { session } = await ask(past);
  sessions.add(session);
  expect([...sessions]).toHaveLength(1);
  const events = await lab.events(session);
  expect(events.filter(({ type }) => type === 'compaction.observed')).toHaveLength(3);
  const { text } = await send(lab.api, 'GET', `/sessions/${session}/ledger?kind=request`);
  expect(text).not.toMatch(/handoff|working summary|were read/);
  expect(text).toContain('Why does the nightly build fail?');
  expect(lab.provider.invalid).toEqual([]);
});
