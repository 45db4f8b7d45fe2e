import {
  Agent,
  type AgentInputItem,
  type AgentOutputItem,
  applyPatchTool,
  computerTool,
  handoff,
  type MCPServer,
  type Model,
  type ModelRequest,
  Runner,
  RunState,
  type StreamEvent,
  shellTool,
  tool,
  Usage,
} from '@openai/agents';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { palimpsest } from '../../src/adapters/openai-agents.ts';
import { createClient } from '../../src/client/client.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

/** What the Agents SDK can do beside calling functions, with a session of ours. */

type Answer = (input: AgentInputItem[], request: ModelRequest) => AgentOutputItem[];

/** A model that answers from a script, call by call, and remembers what it was given. */
class ScriptedModel implements Model {
  readonly given: AgentInputItem[][] = [];
  readonly #script: Answer[];

  constructor(...script: Answer[]) {
    this.#script = script;
  }

  async getResponse(request: ModelRequest) {
    const input = typeof request.input === 'string' ? [] : request.input;
    this.given.push(input);
    const answer = this.#script.shift();
    if (answer === undefined) throw new Error('the script is at its end');
    return { usage: new Usage(), output: answer(input, request) };
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    yield { type: 'response_started' as const };
    request.signal?.throwIfAborted();
    const { output } = await this.getResponse(request);
    for (const delta of ['one ', 'two ', 'three ']) {
      request.signal?.throwIfAborted();
      yield { type: 'output_text_delta' as const, delta };
    }
    yield {
      type: 'response_done' as const,
      response: {
        id: 'resp_1',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        // Its own types of answers and of events disagree on fields that are undefined.
        output: JSON.parse(JSON.stringify(output)),
      },
    };
  }
}

const SERVER: Omit<MCPServer, 'listTools'> = {
  cacheToolsList: true,
  name: 'far',
  connect: async () => {},
  close: async () => {},
  callTool: async () => [],
  invalidateToolsCache: async () => {},
};

function broken() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

const say = (text: string): AgentOutputItem => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
});
const call = (name: string, given: object, callId = `call_${name}`): AgentOutputItem => ({
  type: 'function_call',
  callId,
  name,
  status: 'completed',
  arguments: JSON.stringify(given),
});
/** What was said or done, in short. */
const inShort = (items: readonly AgentInputItem[] = []) =>
  items.map((item) => ('content' in item ? JSON.stringify(item.content) : `${item.type}`));

describe('palimpsest/openai-agents, in use', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.dispose());
  const runner = new Runner({ tracingDisabled: true });
  const errors: unknown[] = [];
  const optionsOf = (session: string) => ({
    url: service.url,
    session,
    contextWindow: 10_000,
    onError: (error: unknown) => errors.push(error),
  });

  test('gives the model what its shell, its editor and its computer have answered', async () => {
    const model = new ScriptedModel(
      () => [
        { type: 'reasoning', id: 'rs_1', content: [{ type: 'input_text', text: 'A look.' }] },
        { type: 'shell_call', callId: 'c1', status: 'completed', action: { commands: ['ls'] } },
      ],
      () => [
        {
          type: 'apply_patch_call',
          callId: 'c2',
          status: 'completed',
          operation: { type: 'create_file', path: 'a.ts', diff: '+one' },
        },
      ],
      () => [
        {
          type: 'computer_call',
          callId: 'c3',
          status: 'completed',
          action: { type: 'screenshot' },
        },
      ],
      () => [say('Seen.')],
    );
    const nothing = async () => {};
    const agent = new Agent({
      name: 'worker',
      model,
      tools: [
        shellTool({
          shell: {
            run: async () => ({
              output: [
                { stdout: 'kingfisher.ts', stderr: '', outcome: { type: 'exit', exitCode: 2 } },
              ],
            }),
          },
        }),
        applyPatchTool({
          editor: {
            createFile: async () => ({ status: 'completed', output: 'made a.ts' }),
            updateFile: nothing,
            deleteFile: nothing,
          },
        }),
        computerTool({
          computer: {
            environment: 'browser',
            dimensions: [1, 1],
            screenshot: async () => 'iVBORw0KGgo=',
            click: nothing,
            doubleClick: nothing,
            scroll: nothing,
            type: nothing,
            wait: nothing,
            move: nothing,
            keypress: nothing,
            drag: nothing,
          },
        }),
      ],
    });
    const { finalOutput } = await runner.run(agent, 'Look around.', palimpsest(optionsOf('tools')));
    expect([finalOutput, errors]).toEqual(['Seen.', []]);
    const types = model.given.map((input) => input.map(({ type }) => type));
    expect(types.at(-1)).toEqual([
      'message',
      'reasoning',
      'shell_call',
      'shell_call_output',
      'apply_patch_call',
      'apply_patch_call_output',
      'computer_call',
      'computer_call_result',
    ]);
    const done = model.given.at(-1)?.filter(({ type }) => /^(?:shell|apply|comp)/.test(`${type}`));
    const again = await palimpsest(optionsOf('tools')).session.getItems();
    // Reasoning is the process's own.
    expect(again.slice(1, -1)).toEqual(done);
    expect(JSON.stringify(done)).toMatch(/kingfisher.ts.*"exitCode":2.*made a.ts.*iVBORw0KGgo=/);
    const log = await createClient({ url: service.url }).listItems({ id: 'tools' });
    expect(log.data[2]?.item).toMatchObject({
      type: 'shell_call_output',
      call_id: 'c1',
      output: [{ stdout: 'kingfisher.ts', outcome: { exit_code: 2 } }],
    });
  });

  test('never names an item of OpenAI whose reasoning is gone', async () => {
    const rounds = 24;
    const model = new ScriptedModel(
      ...Array.from(
        { length: rounds },
        (_, at): Answer =>
          () => [
            { type: 'reasoning', id: `rs_${at}`, content: [] },
            {
              type: 'hosted_tool_call',
              id: `ws_${at}`,
              name: 'web_search_call',
              status: 'completed',
            },
            { ...say(`I look at log ${at}.`), id: `msg_${at}` },
            { ...call('read_log', {}, `call_${at}`), id: `fc_${at}` },
          ],
      ),
      () => [say('Nothing unusual.')],
    );
    const read = tool({
      name: 'read_log',
      description: 'Reads a log.',
      parameters: z.object({}),
      execute: () => 'All is well at the gate of the north tower. '.repeat(120),
    });
    const agent = new Agent({ name: 'reader', model, tools: [read] });
    const ours = palimpsest({ url: service.url, session: 'reasons', contextWindow: 12_000 });
    const { finalOutput } = await runner.run(agent, 'Read.', { ...ours, maxTurns: rounds + 1 });
    expect(finalOutput).toBe('Nothing unusual.');
    const idsOf = (input: AgentInputItem[]) => input.flatMap(({ id }) => id ?? []);
    const orphans = model.given.flatMap((input) =>
      idsOf(input).filter((id) => !idsOf(input).includes(id.replace(/^\w+_/, 'rs_'))),
    );
    expect(orphans).toEqual([]);
    const last = model.given.at(-1) ?? [];
    expect(last.some(({ id }) => id === `fc_${rounds - 1}`)).toBe(true);
    expect(last.some(({ id }) => id === 'rs_0')).toBe(false);
  });

  test('goes on where a call waits for leave, also in another process', async () => {
    const done: string[] = [];
    const remove = tool({
      name: 'remove',
      description: 'removes',
      parameters: z.object({ path: z.string() }),
      needsApproval: true,
      execute: async ({ path }) => {
        done.push(path);
        return `removed ${path}`;
      },
    });
    const model = new ScriptedModel(
      () => [call('remove', { path: 'a' }), call('remove', { path: 'b' }, 'call_2')],
      () => [say('Removed a.')],
    );
    const agent = new Agent({ name: 'remover', model, tools: [remove] });
    const first = await runner.run(agent, 'Remove both.', palimpsest(optionsOf('leave')));
    expect(first.interruptions).toHaveLength(2);
    const state = await RunState.fromString(agent, first.state.toString());
    const [a, b] = state.getInterruptions();
    if (!a || !b) throw new Error('two');
    state.approve(a);
    state.reject(b);
    const second = await runner.run(agent, state, palimpsest(optionsOf('leave')));
    expect([second.finalOutput, done, errors]).toEqual(['Removed a.', ['a'], []]);
    expect(model.given).toHaveLength(2);
    const items = await palimpsest(optionsOf('leave')).session.getItems();
    expect(items.map(({ type }) => type)).toEqual([
      undefined,
      'function_call',
      'function_call',
      'function_call_result',
      'function_call_result',
      undefined,
    ]);
    expect(JSON.stringify(items)).toContain('Tool execution was not approved.');
  });

  test('several agents on one session: a handoff, then another agent', async () => {
    const model = new ScriptedModel(
      () => [call('transfer_to_writer', {})],
      () => [say('Written.')],
      () => [say('Read again.')],
    );
    const writer = new Agent({ name: 'writer', model, instructions: 'You write.' });
    const reader = new Agent({ name: 'reader', model, handoffs: [handoff(writer)] });
    const result = await runner.run(reader, 'Have it written.', palimpsest(optionsOf('two')));
    expect([result.finalOutput, result.lastAgent?.name, errors]).toEqual([
      'Written.',
      'writer',
      [],
    ]);
    const again = await runner.run(reader, 'Read it again.', palimpsest(optionsOf('two')));
    expect([again.finalOutput, errors]).toEqual(['Read again.', []]);
    expect(inShort(model.given.at(-1))).toEqual([
      '"Have it written."',
      'function_call',
      'function_call_result',
      expect.stringContaining('Written.'),
      '"Read it again."',
    ]);
  });

  test('keeps answers that have a shape', async () => {
    const model = new ScriptedModel(
      () => [say('{"town":"Ulm"}')],
      () => [say('{"town":"Bonn"}')],
    );
    const agent = new Agent({ name: 's', model, outputType: z.object({ town: z.string() }) });
    const more = palimpsest(optionsOf('shaped'));
    const one = await runner.run(agent, 'Where?', more);
    const two = await runner.run(agent, 'And now?', more);
    expect([one.finalOutput, two.finalOutput]).toEqual([{ town: 'Ulm' }, { town: 'Bonn' }]);
    expect(inShort(model.given.at(-1))[1]).toContain('Ulm');
  });

  test('goes on behind what was taken back, and erases all of it', async () => {
    const model = new ScriptedModel(
      ...['one', 'two', 'three', 'four'].map((text) => () => [say(text)]),
    );
    const agent = new Agent({ name: 's', model });
    const more = palimpsest(optionsOf('taken'));
    await runner.run(agent, 'First?', more);
    await more.session.popItem();
    await more.session.addItems([say('one, in other words')]);
    // An answer that was taken back is in the log only.
    const known = ['"First?"', expect.stringContaining('in other words')];
    expect(inShort(await palimpsest(optionsOf('taken')).session.getItems())).toEqual(known);
    const client = createClient({ url: service.url });
    expect((await client.listItems({ id: 'taken' })).data).toHaveLength(3);
    // Without what the user has said it is another past, which goes on in a fork.
    await more.session.popItem();
    await more.session.popItem();
    await runner.run(agent, 'Second?', more);
    expect(inShort(model.given.at(-1))).toEqual(['"Second?"']);
    expect(inShort(await palimpsest(optionsOf('taken')).session.getItems())).toEqual(known);
    const there = async () =>
      (await client.listSessions({})).data.filter(({ id }) => id.startsWith('taken'));
    expect(await there()).toHaveLength(2);
    await more.session.clearSession();
    expect(await there()).toEqual([]);
    expect(errors).toEqual([]);
  });

  test('goes on after a stream that was broken off', async () => {
    const model = new ScriptedModel(
      () => [say('one two three')],
      () => [say('then')],
    );
    const agent = new Agent({ name: 's', model });
    const more = palimpsest(optionsOf('broken'));
    const { signal, abort } = broken();
    const result = await runner.run(agent, 'First?', { ...more, stream: true, signal });
    for await (const event of result) {
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
        abort();
    }
    await result.completed.catch(() => {});
    await runner.run(agent, 'Second?', more);
    expect(inShort(model.given.at(-1))).toEqual(['"First?"', '"Second?"']);
    expect(errors).toEqual([]);
  });

  test('keeps room for what is called over MCP, and for handoffs', async () => {
    const model = new ScriptedModel(() => [say('Done.')]);
    const long = 'explains at length what this tool is good for. '.repeat(1_000);
    const inputSchema = { type: 'object' as const, properties: {}, required: [] };
    const server = {
      ...SERVER,
      listTools: async () => [
        {
          name: 'far',
          description: long,
          inputSchema: { ...inputSchema, additionalProperties: false },
        },
      ],
    };
    const writer = new Agent({ name: 'writer', model, handoffDescription: long });
    const agent = new Agent({
      name: 'caller',
      model,
      mcpServers: [server],
      handoffs: [handoff(writer)],
    });
    const options = { ...optionsOf('room'), contextWindow: 100_000 };
    await runner.run(agent, 'Go.', palimpsest(options));
    const { config } = await createClient({ url: service.url }).getSession({ id: 'room' });
    // At four characters to the token.
    expect(config.free_space_buffer).toBeGreaterThan((2 * long.length) / 4);
    expect(errors).toEqual([]);
  });
});
