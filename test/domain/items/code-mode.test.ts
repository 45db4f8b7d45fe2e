import { describe, expect, it } from 'vitest';
import { readCode } from '../../../src/domain/items/code-mode/read-code.ts';
import { callsInCode, withCodeCalls } from '../../../src/domain/items/code-mode/with-code-calls.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item, Normalised } from '../../../src/domain/items/item.ts';
import { resultText } from '../../../src/domain/items/message-text.ts';
import type { Json, JsonObject } from '../../../src/domain/json.ts';

const DONE = 'Script completed\nWall time 0.1 seconds\nOutput:\n';
const normalise = (items: readonly Item[]) => items.map(codecFor('openai-responses').normalise);

/** A script that Codex has run, and what came back: a heading, then a part for each text. */
function script(id: string, input: string, ...output: string[]): Item[] {
  const [head = '', ...texts] = output;
  return [
    { type: 'custom_tool_call', status: 'completed', call_id: id, name: 'exec', input },
    {
      type: 'custom_tool_call_output',
      call_id: id,
      output:
        texts.length === 0 ? head : [head, ...texts].map((text) => ({ type: 'input_text', text })),
    },
  ];
}

function wait(id: string, cell_id: string, ...output: string[]): Item[] {
  return [
    { type: 'function_call', call_id: id, name: 'wait', arguments: JSON.stringify({ cell_id }) },
    {
      type: 'function_call_output',
      call_id: id,
      output: output.map((text) => ({ type: 'input_text', text })),
    },
  ];
}

/** The calls that are made, and what each has answered. */
function told(items: readonly Item[]): [string, Json, string | null][] {
  const parts = withCodeCalls(normalise(items)).flatMap((item: Normalised) =>
    item.kind === 'message' ? item.parts : [],
  );
  const results = new Map(
    parts.flatMap((part) => (part.kind === 'tool_result' ? [[part.call_id, part]] : [])),
  );
  return parts.flatMap((part) => {
    if (part.kind !== 'tool_call') return [];
    const result = results.get(part.id);
    const flags = [
      ...(result?.is_error ? ['error'] : []),
      ...(result?.is_exit_hidden ? ['exit hidden'] : []),
      ...(result?.is_in_doubt ? ['in doubt'] : []),
    ];
    const text = result === undefined ? null : resultText(result);
    return [[part.name, part.input, flags.length === 0 ? text : `${text} (${flags.join(', ')})`]];
  });
}

const exited = (code: number, output: string) =>
  `Wall time: 0 seconds\nProcess exited with code ${code}\nOutput:\n${output}`;
const running = (session: string, output = '') =>
  `Wall time: 0 seconds\nProcess running with session ID ${session}\nOutput:\n${output}`;
const result = (fields: JsonObject) =>
  JSON.stringify({ chunk_id: 'a1', wall_time_seconds: 1, ...fields });

/** A hole in a template of a script. */
const hole = (code: string) => `\${${code}}`;
const PATCH = '*** Begin Patch\n*** Add File: a.ts\n+const a = 1;\n*** End Patch';

describe('a script of one call', () => {
  it.each<[string, string, string[], [string, Json, string | null][]]>([
    [
      'that prints an output',
      'const r = await tools.exec_command({cmd:"ls -a",workdir:"/w","yield_time_ms":1000}); text(r.output)\n',
      [DONE, '.\n..\n'],
      [
        [
          'exec_command',
          { cmd: 'ls -a', workdir: '/w', yield_time_ms: 1000 },
          '.\n..\n (exit hidden)',
        ],
      ],
    ],
    [
      'that prints the whole result',
      'const r = await tools.exec_command({cmd:"npm test"}); text(JSON.stringify(r))',
      [DONE, result({ exit_code: 1, output: '1 failed' })],
      [['exec_command', { cmd: 'npm test' }, exited(1, '1 failed')]],
    ],
    [
      'that prints it as it is',
      'text(await tools.exec_command({cmd:"npm test"}));',
      [DONE, result({ exit_code: 0, output: 'ok' })],
      [['exec_command', { cmd: 'npm test' }, exited(0, 'ok')]],
    ],
    [
      'that prints a choice of it',
      'const {exit_code, output} = await tools.exec_command({cmd:`make`}); text(JSON.stringify({exit_code, output}))',
      [DONE, '{"exit_code":2,"output":"no rule"}'],
      [['exec_command', { cmd: 'make' }, exited(2, 'no rule')]],
    ],
    [
      'that prints it in a template',
      `const r = await tools.exec_command({cmd:"make"}); text(\`exit=${hole('r.exit_code')}\\n${hole('r.output')}\`);`,
      [DONE, 'exit=2\nno rule'],
      [['exec_command', { cmd: 'make' }, exited(2, 'no rule')]],
    ],
    [
      'whose command goes on',
      'const r = await tools.exec_command({cmd:"npm test"}); text(r)',
      [DONE, result({ session_id: 8123, output: 'start' })],
      [['exec_command', { cmd: 'npm test' }, running('8123', 'start')]],
    ],
    [
      'in one text',
      'text((await tools.exec_command({cmd:"pwd"})).output)',
      [`${DONE}/w\n`],
      [['exec_command', { cmd: 'pwd' }, '/w\n (exit hidden)']],
    ],
    [
      'that applies a patch',
      `const patch = ${JSON.stringify(PATCH)};\ntext(await tools.apply_patch(patch));\n`,
      [DONE, '{}'],
      [['apply_patch', PATCH, '{}']],
    ],
    [
      'that prints nothing',
      `await tools.apply_patch(\`${PATCH}\`);`,
      [DONE],
      [['apply_patch', PATCH, '[The script has printed nothing of this.]']],
    ],
    [
      'that fails',
      `text(await tools.apply_patch(String.raw\`${PATCH}\`));`,
      [
        'Script failed\nWall time 0.0 seconds\nOutput:\n',
        'Script error:\napply_patch verification failed: Failed to find expected lines in a.ts',
      ],
      [
        [
          'apply_patch',
          PATCH,
          'apply_patch verification failed: Failed to find expected lines in a.ts (error)',
        ],
      ],
    ],
    [
      'of another server, with names that are put together',
      'const q = ["a", "b"].join(" OR "); const o = {query: q, limit: 2}; text(await tools.mcp__docs__search({...o, limit: -3}));',
      [DONE, 'found'],
      [['mcp__docs__search', { query: 'a OR b', limit: -3 }, 'found']],
    ],
  ])('%s', (_, input, output, expected) => {
    expect(told(script('c', input, ...output))).toEqual(expected);
  });

  it('that has no result yet is an open call', () => {
    const [call = {}] = script('c', 'text(await tools.exec_command({cmd:"ls"}))', DONE);
    expect(told([call])).toEqual([['exec_command', { cmd: 'ls' }, null]]);
  });
});

describe('a script of several calls', () => {
  const TWO = [
    ['exec_command', { cmd: 'a' }, 'A (exit hidden)'],
    ['exec_command', { cmd: 'b' }, 'B (exit hidden)'],
  ];

  it.each([
    [
      'at once',
      'const [a, b] = await Promise.all([tools.exec_command({cmd:"a"}), tools.exec_command({cmd:"b"})]); text(a.output); text(b.output);',
    ],
    [
      'over a list',
      'const rs = await Promise.all(["a","b"].map(cmd => tools.exec_command({cmd}))); rs.forEach(r => text(r.output));',
    ],
    [
      'in a loop',
      'for (const cmd of ["a", "b"]) { const r = await tools.exec_command({ cmd }); text(r.output); }',
    ],
    [
      'by a function',
      'async function run(cmd) { const r = await tools.exec_command({cmd}); return r.output; }\ntext(await run("a")); text(await run("b"));',
    ],
    [
      'that are settled',
      'const all = await Promise.allSettled([tools.exec_command({cmd:"a"}), tools.exec_command({cmd:"b"})]); for (const {value} of all) text(value.output);',
    ],
    [
      'one after the other',
      'const a = await tools.exec_command({cmd:"a"}); text(a.output); const b = await tools.exec_command({cmd:"b"}); text(b.output);',
    ],
  ])('%s has the text of each', (_, input) => {
    expect(told(script('c', input, DONE, 'A', 'B'))).toEqual(TWO);
  });

  it('printed as one text is read by the texts between', () => {
    const input =
      'const [a,b] = await Promise.all([tools.exec_command({cmd:"a"}),tools.exec_command({cmd:"b"})]);' +
      `text(\`== a ${hole('a.exit_code')}\\n${hole('a.output')}\\n== b ${hole('b.exit_code')}\\n${hole('b.output')}\`)`;
    expect(told(script('c', input, DONE, '== a 0\nA\n== b 3\nB'))).toEqual([
      ['exec_command', { cmd: 'a' }, exited(0, 'A')],
      ['exec_command', { cmd: 'b' }, exited(3, 'B')],
    ]);
  });

  it('printed as a list is read as one', () => {
    const input =
      'const rs = await Promise.all(["a","b"].map((cmd) => tools.exec_command({cmd}))); text(rs);';
    const list = [
      { exit_code: 0, output: 'A' },
      { exit_code: 3, output: 'B' },
    ];
    expect(told(script('c', input, DONE, JSON.stringify(list)))).toEqual([
      ['exec_command', { cmd: 'a' }, exited(0, 'A')],
      ['exec_command', { cmd: 'b' }, exited(3, 'B')],
    ]);
  });

  it('has ids of its own, and the first that of the script', () => {
    const items = script('c', 'await tools.a({}); await tools.b({});', DONE);
    const ids = withCodeCalls(normalise(items)).map((item) =>
      item.kind === 'message'
        ? item.parts.map((part) => ('id' in part ? part.id : 'call_id' in part ? part.call_id : ''))
        : [],
    );
    expect(ids).toEqual([
      ['c', 'c.2'],
      ['c', 'c.2'],
    ]);
  });

  it('that prints less than it says has printed what is there of the last', () => {
    const input =
      'const a = await tools.exec_command({cmd:"a"}); const b = await tools.exec_command({cmd:"b"});' +
      'if (a.exit_code) text(a.output); text(b.output);';
    expect(told(script('c', input, DONE, 'B')).map(([, , text]) => text)).toEqual([
      '[The script has printed nothing of this.]',
      'B (exit hidden)',
    ]);
  });

  it('that failed at one has made those before it, and perhaps those behind', () => {
    const input = 'await tools.list({}); await tools.apply_patch("x"); await tools.view({});';
    const failed = 'Script failed\nWall time 0.0 seconds\nOutput:\n';
    const error = 'Script error:\napply_patch verification failed: no patch';
    expect(told(script('c', input, failed, error))).toEqual([
      ['list', {}, '[The script has printed nothing of this.]'],
      ['apply_patch', 'x', 'apply_patch verification failed: no patch (error)'],
      ['view', {}, '[The script has printed nothing of this.] (in doubt)'],
    ]);
  });

  it.each([
    ['a branch', 'const r = await tools.a({}); if (r.x) { await tools.b({}); }'],
    ['a catch', 'await tools.a({}); try { await tools.b({}); } catch (e) { text(String(e)); }'],
    [
      'a loop of unknown length',
      'let r = await tools.a({}); while (r.x) { r = await tools.b({}); }',
    ],
    ['a condition', 'const r = await tools.a({}); r.ok && await tools.b({});'],
  ])('is not sure to have made those in %s', (_, input) => {
    expect(told(script('c', input, DONE))).toEqual([
      ['a', {}, '[The script has printed nothing of this.]'],
      ['b', {}, '[The script has printed nothing of this.] (in doubt)'],
    ]);
  });
});

describe('a script that goes on', () => {
  const RUNNING = 'Script running with cell ID 41\nWall time 10.0 seconds\nOutput:\n';

  it('is told of by the waits for it', () => {
    const items = [
      ...script('c', 'text(await tools.exec_command({cmd:"npm test"}))', RUNNING),
      ...wait('w1', '41', RUNNING),
      ...wait('w2', '41', DONE, result({ exit_code: 0, output: '5 passed' })),
    ];
    const poll = { session_id: '41.0', chars: '' };
    expect(told(items)).toEqual([
      ['exec_command', { cmd: 'npm test' }, running('41.0')],
      ['write_stdin', poll, running('41.0')],
      ['write_stdin', poll, exited(0, '5 passed')],
    ]);
  });

  it('has each of its commands waited for', () => {
    const input =
      'const rs = await Promise.all(["a","b"].map((cmd) => tools.exec_command({cmd}))); rs.forEach((r) => text(r.output));';
    const items = [...script('c', input, RUNNING), ...wait('w', '41', DONE, 'A', 'B')];
    expect(told(items).slice(2)).toEqual([
      ['write_stdin', { session_id: '41.0', chars: '' }, 'A (exit hidden)'],
      ['write_stdin', { session_id: '41.1', chars: '' }, 'B (exit hidden)'],
    ]);
  });

  it('prints on from where it was', () => {
    const input =
      'for (const cmd of ["a", "b", "c"]) { const r = await tools.exec_command({cmd}); text(r.output); }';
    const items = [
      ...script('c', input, RUNNING, 'A'),
      ...wait('w1', '41', RUNNING, 'B'),
      ...wait('w2', '41', DONE, 'C'),
    ];
    const poll = (n: number) => ({ session_id: `41.${n}`, chars: '' });
    expect(told(items)).toEqual([
      ['exec_command', { cmd: 'a' }, 'A (exit hidden)'],
      ['exec_command', { cmd: 'b' }, running('41.1')],
      ['exec_command', { cmd: 'c' }, running('41.2')],
      ['write_stdin', poll(1), 'B (exit hidden)'],
      ['write_stdin', poll(2), running('41.2')],
      ['write_stdin', poll(2), 'C (exit hidden)'],
    ]);
  });

  it('is asked of its process until the last time', () => {
    const poll = 'const r = await tools.write_stdin({session_id:77,chars:""}); text(r.output)';
    const items = [...script('a', poll, DONE, 'half'), ...script('b', poll, DONE, 'done')];
    expect(told(items).map(([, , text]) => text)).toEqual([
      running('77', 'half'),
      'done (exit hidden)',
    ]);
  });

  it('a wait for something else stays as it is', () => {
    const items = wait('w', '9', DONE, 'x');
    expect(withCodeCalls(normalise(items))).toEqual(normalise(items));
  });
});

describe('what is not read', () => {
  it.each([
    ['no script', 'ls -la'],
    ['a script without calls', 'text(1)'],
    ['a script that is broken', 'const r = await tools.exec_command({cmd:"ls"'],
    [
      'endless loops',
      `for (const a of [${'1,'.repeat(999)}]) for (const b of [${'1,'.repeat(999)}]) tools.a({b});`,
    ],
    ['a depth that no model writes', `tools.a(${'('.repeat(20_000)}1${')'.repeat(20_000)})`],
    ['a function that calls itself', 'const f = () => f(); f(); tools.a({})'],
    ['more than half a megabyte', `tools.a("${'x'.repeat(600_000)}")`],
  ])('%s stays as it is', (_, input) => {
    expect(readCode(input)).toBeNull();
    const items = normalise(script('c', input, DONE, 'x'));
    expect(withCodeCalls(items)).toEqual(items);
  });

  it('texts do not grow without end', () => {
    const input = `let s = "x"; for (const i of [${'1,'.repeat(60)}]) s += s; tools.a({s, t: 1});`;
    expect(readCode(input)?.calls).toEqual([{ name: 'a', input: { t: 1 }, isCertain: true }]);
  });

  it('names that every object has are names like others', () => {
    const input =
      'const o = {__proto__: 1, constructor: "c"}; text(await tools.__proto__({q: o.constructor, p: o.toString}));';
    expect(readCode(input)?.calls).toEqual([
      { name: '__proto__', input: { q: 'c' }, isCertain: true },
    ]);
  });

  it('a call of another tool, or of one of that name with fields, is none', () => {
    const call = {
      kind: 'tool_call',
      id: 'c',
      name: 'exec',
      input: { cmd: 'ls' },
      source: {},
    } as const;
    expect(callsInCode(call)).toEqual([call]);
  });
});

describe('what would take too much', () => {
  it.each([
    ['lists that double', `let l=[1]; ${'l=[...l,...l];'.repeat(40)} tools.a(l);`],
    [
      'lists of lists of lists',
      `const a=[${'1,'.repeat(400)}]; const b=[${'a,'.repeat(400)}]; const c=[${'b,'.repeat(400)}]; tools.a({c});`,
    ],
    [
      'long texts, put together again and again',
      `const s="${'x'.repeat(1_000)}"; const l=[${'s,'.repeat(900)}]; ${'l.join("");'.repeat(300)} tools.a(1);`,
    ],
    ['more texts than a model writes', `tools.a(1); ${'text(1);'.repeat(600)}`],
    ['more calls than a model writes', `for (const n of [${'1,'.repeat(200)}]) tools.a({n});`],
  ])('%s are not read', (_, input) => expect(readCode(input)).toBeNull());
});
