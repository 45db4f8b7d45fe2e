import { Agent, type AgentInputItem, type Model, Runner, Usage } from '@openai/agents';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { palimpsest } from '../../src/adapters/openai-agents.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

/** What items of the Agents SDK can hold beside texts and pictures. */

const PDF = 'data:application/pdf;base64,JVBERg==';
const user = (...content: Extract<AgentInputItem, { role: 'user' }>['content'][number][]) =>
  ({ role: 'user', content }) as AgentInputItem;
const say = (text: string, id?: string): AgentInputItem => ({
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
  ...(id !== undefined && { id }),
});

const HISTORIES: Record<string, AgentInputItem[]> = {
  files: [
    { role: 'user', content: [{ type: 'input_file', file: PDF, filename: 'a.pdf' }] },
    say('Read.'),
    { role: 'user', content: [{ type: 'input_file', file: { id: 'file_1' } }] },
    say('Read.'),
    { role: 'user', content: [{ type: 'input_file', file: { url: 'https://a.example/b.pdf' } }] },
    say('Read.'),
  ],
  sound: [
    { role: 'user', content: [{ type: 'audio', audio: 'UklGRg==', format: 'wav' }] },
    say('Heard.'),
    { role: 'user', content: [{ type: 'audio', audio: { id: 'file_2' }, format: 'mp3' }] },
    say('Heard.'),
  ],
  refusals: [
    { role: 'user', content: 'Break in.' },
    { role: 'assistant', status: 'completed', content: [{ type: 'refusal', refusal: 'No.' }] },
  ],
  'results that are files': [
    { role: 'user', content: 'Fetch it.' },
    { type: 'function_call', callId: 'c1', name: 'fetch', status: 'completed', arguments: '{}' },
    {
      type: 'function_call_result',
      callId: 'c1',
      name: 'fetch',
      status: 'completed',
      output: [
        { type: 'input_text', text: 'Two.' },
        { type: 'input_file', file: PDF, filename: 'a.pdf' },
        { type: 'input_image', image: 'https://a.example/c.png' },
      ],
    },
    say('Fetched.'),
  ],
};

describe('palimpsest/openai-agents, what items hold', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.dispose());
  const runner = new Runner({ tracingDisabled: true });
  const errors: unknown[] = [];

  /** What the model is given for a history, with or without a session of ours. */
  async function givenFor(history: AgentInputItem[], session?: string) {
    const given: unknown[] = [];
    const model: Model = {
      getResponse: async ({ input }) => {
        given.push(input);
        const content = [{ type: 'output_text' as const, text: 'Well.' }];
        return {
          usage: new Usage(),
          output: [{ type: 'message', role: 'assistant', status: 'completed', content }],
        };
      },
      getStreamedResponse: () => {
        throw new Error('nothing is streamed');
      },
    };
    const onError = (error: unknown) => errors.push(error);
    const options = { url: service.url, session: session ?? '', contextWindow: 10_000, onError };
    const input = [...history, { role: 'user' as const, content: 'Well?' }];
    const agent = new Agent({ name: 'reader', model });
    await runner.run(agent, input, session === undefined ? {} : palimpsest(options));
    return { given: given[0], again: () => palimpsest(options).session.getItems() };
  }

  test.each(Object.entries(HISTORIES))('%s', async (name, history) => {
    const ours = await givenFor(history, name.replaceAll(' ', '-'));
    const { given } = await givenFor(history);
    // Nothing has been compacted: the model is given what it would be given without us.
    expect(ours.given).toEqual(given);
    // And so is the agent in another process.
    expect((await ours.again()).slice(0, history.length)).toEqual(history);
    expect(errors).toEqual([]);
  });

  test('one answer twice, each with the id that the provider gave it', async () => {
    const ask = user({ type: 'input_text', text: 'Shut it.' });
    const history = [ask, say('Done.', 'msg_1'), ask, say('Done.', 'msg_2')];
    const ours = await givenFor(history, 'twice');
    expect(ours.given).toEqual((await givenFor(history)).given);
    expect(JSON.stringify(ours.given)).toMatch(/msg_1.*msg_2/);
  });

  test('what OpenAI has done itself stays with what it led to', async () => {
    const history: AgentInputItem[] = [
      { role: 'user', content: 'Search.' },
      { type: 'hosted_tool_call', id: 'ws_1', name: 'web_search_call', status: 'completed' },
      say('Found.'),
      { role: 'user', content: 'Remove it.' },
      {
        type: 'hosted_tool_call',
        id: 'mcp_1',
        name: 'mcp_call',
        status: 'completed',
        arguments: '{}',
        output: 'Removed.',
      },
      say('Found.'),
    ];
    const ours = await givenFor(history, 'hosted');
    expect(ours.given).toEqual((await givenFor(history)).given);
    expect(errors).toEqual([]);
  });
});
