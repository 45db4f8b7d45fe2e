/** The conversation of the examples in docs/command-line.md, as messages of Chat Completions. */
export function exampleChat(): string {
  const log = Array.from(
    { length: 160 },
    (_, line) => `  compiling src/module-${line}.go (${line * 7} ms)`,
  ).join('\n');
  const messages = [
    { role: 'user', content: 'Why does the build fail? Do not touch vendor/.' },
    ...call(
      'c1',
      'bash',
      { command: 'make build' },
      `${log}\nstrategy/prompts.go:42: connection refused`,
    ),
    ...call('c2', 'read', { path: 'strategy/prompts.go' }, log.replaceAll('compiling', 'import')),
    {
      role: 'assistant',
      content: 'The generator in strategy/prompts.go calls a server that is away.',
    },
    { role: 'user', content: 'Then read the prompts from a file.' },
    ...call('c3', 'edit', { path: 'strategy/prompts.go', with: 'os.ReadFile' }, 'edited'),
    ...call('c4', 'bash', { command: 'make build' }, `${log}\nok`),
    { role: 'assistant', content: 'It builds now.' },
    { role: 'user', content: 'And the tests?' },
    ...call('c5', 'bash', { command: 'make test' }, 'ok  strategy 0.4s'),
    { role: 'assistant', content: 'All pass.' },
  ];
  return JSON.stringify(messages);
}

function call(id: string, name: string, input: object, result: string) {
  const tool_call = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
  return [
    { role: 'assistant', content: null, tool_calls: [tool_call] },
    { role: 'tool', tool_call_id: id, content: result },
  ];
}
