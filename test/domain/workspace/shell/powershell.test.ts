import { describe, expect, it } from 'vitest';
import type { ToolCall, ToolResult } from '../../../../src/domain/items/item.ts';
import type { FileAction } from '../../../../src/domain/workspace/action.ts';
import { actionsOfCall } from '../../../../src/domain/workspace/call-actions.ts';
import { Effort } from '../../../../src/domain/workspace/effort.ts';

/** Commands of Codex on Windows, whose `shell_command` is PowerShell. */

const FOLDER = 'C:\\work\\app';

function actionsOf(command: string, output = '', code = 0): FileAction[] {
  const input = { command, workdir: FOLDER };
  const call: ToolCall = {
    kind: 'tool_call',
    id: 'c',
    name: 'shell_command',
    input,
    source: input,
  };
  const text = `Exit code: ${code}\r\nWall time: 1.2 seconds\r\nOutput:\r\n${output}`;
  const result: ToolResult = {
    kind: 'tool_result',
    call_id: 'c',
    content: [{ kind: 'text', text }],
    is_error: false,
  };
  return actionsOfCall(call, result, { session: null, shell: null }, new Effort()).actions;
}

const BASE =
  'from sqlalchemy.orm import DeclarativeBase\n\n\nclass Base(DeclarativeBase):\n    pass\n';
const HERE = `@'\n${BASE.trimEnd()}\n'@`;
const AT = 'C:/work/app/src/db/base.py';

describe('what a script in PowerShell writes', () => {
  it.each<[string, string]>([
    ['a text handed to Set-Content', `${HERE} | Set-Content src\\db\\base.py`],
    ['with a path by its name', `${HERE} | Set-Content -Path "src\\db\\base.py" -Encoding UTF8`],
    ['as a value', `Set-Content -LiteralPath 'src\\db\\base.py' -Value ${HERE} -Force`],
    ['by Out-File', `${HERE} | Out-File -FilePath src/db/base.py -Encoding utf8`],
    ['by an arrow', `${HERE} > src\\db\\base.py`],
    ['by an alias', `${HERE} | sc src\\db\\base.py`],
    [
      'after its folder was made, with lines of Windows',
      `New-Item -ItemType Directory -Force src\\db,src\\api | Out-Null\r\n@'\r\n${BASE.trimEnd().replaceAll('\n', '\r\n')}\r\n'@ | Set-Content src\\db\\base.py`,
    ],
    [
      'in double quotes, without variables',
      `@"\n${BASE.trimEnd()}\n"@ | Set-Content src\\db\\base.py`,
    ],
  ])('%s is known', (_, script) => {
    expect(actionsOf(script)).toEqual([{ kind: 'written', path: AT, text: BASE }]);
  });

  it('several are each known', () => {
    const script =
      "'a' | Set-Content a.txt\n# and\n\"it's b\" | Set-Content b.txt; Add-Content a.txt 'c'";
    expect(actionsOf(script)).toEqual([
      { kind: 'written', path: 'C:/work/app/a.txt', text: 'a\n' },
      { kind: 'written', path: 'C:/work/app/b.txt', text: "it's b\n" },
      { kind: 'appended', path: 'C:/work/app/a.txt', text: 'c\n' },
    ]);
  });

  it('added to a file by Out-File it is appended', () => {
    expect(actionsOf("'x' | Out-File a.txt -Append")).toEqual([
      { kind: 'appended', path: 'C:/work/app/a.txt', text: 'x\n' },
    ]);
  });

  it('without an end of line it has none', () => {
    expect(actionsOf("Set-Content a.txt -Value 'it''s' -NoNewline")).toEqual([
      { kind: 'written', path: 'C:/work/app/a.txt', text: "it's" },
    ]);
  });

  it('moved, copied and removed files are told of', () => {
    expect(
      actionsOf(
        'Move-Item -Force promp.md prompt.md; Copy-Item -Path a.ts -Destination b.ts; Remove-Item old.ts -Force; Rename-Item src\\c.ts d.ts',
      ).map((action) => [
        action.kind,
        'path' in action && action.path,
        'to' in action && action.to,
      ]),
    ).toEqual([
      ['moved', 'C:/work/app/promp.md', 'C:/work/app/prompt.md'],
      ['copied', 'C:/work/app/a.ts', 'C:/work/app/b.ts'],
      ['deleted', 'C:/work/app/old.ts', false],
      ['moved', 'C:/work/app/src/c.ts', 'C:/work/app/src/d.ts'],
    ]);
  });
});

describe('what a script in PowerShell shows', () => {
  it('is the content of a file', () => {
    const [seen] = actionsOf('Get-Content src\\a.ts', 'const a = 1;\r\nexport { a };\r\n');
    expect(seen).toMatchObject({ kind: 'seen', path: 'C:/work/app/src/a.ts' });
    expect(JSON.stringify(seen)).toContain('const a = 1;\\nexport { a };');
  });

  it.each([
    ['Get-Content src\\a.ts -TotalCount 1'],
    ['Get-Content src\\a.ts | Select-Object -First 1'],
  ])('is a part of it: %s', (script) => {
    const [seen, ...others] = actionsOf(script, 'const a = 1;\r\n');
    expect(others).toEqual([]);
    expect(JSON.stringify(seen)).toMatch(/"blocks":\[\{[^}]*"text":"const a = 1;/);
  });

  it.each([['Get-Content src\\a.ts -Tail 1'], ['Get-Content src\\a.ts | Select-Object -Last 1']])(
    'is its end, which may stand anywhere: %s',
    (script) => {
      expect(actionsOf(script, 'const a = 1;\r\n')).toEqual([
        { kind: 'seen', path: 'C:/work/app/src/a.ts', text: null },
      ]);
    },
  );

  it.each([
    ['Get-ChildItem -Force | Select-Object Name'],
    ['rg -n "foo" src'],
    ['Test-Path src\\a.ts; Get-Location'],
    ['npm.cmd run build'],
  ])('and changes nothing that it names: %s', (script) => {
    const kinds = actionsOf(script).map(({ kind }) => kind);
    expect(kinds).not.toContain('written');
    expect(kinds).not.toContain('deleted');
  });
});

it('of a file whose first lines are skipped, only that it was read is known', () => {
  expect(actionsOf('Get-Content a.ts | Select-Object -Skip 2 -First 1', 'third\r\n')).toEqual([
    { kind: 'seen', path: 'C:/work/app/a.ts', text: null },
  ]);
});

describe('of what is not certain', () => {
  it.each([
    ["(Get-Content a.ts) -replace 'x','y' | Set-Content a.ts"],
    ['$t = Get-Content a.ts -Raw; Set-Content a.ts $t.Replace("x", "y")'],
    ['foreach ($f in "a.ts") { Set-Content $f "x" }'],
    ['powershell -NoProfile -Command "Set-Content a.ts x"'],
    ['Invoke-WebRequest http://localhost/x -OutFile a.ts'],
    [`@'\nno end | Set-Content a.ts`],
  ])('nothing is said for certain: %s', (script) => {
    const kinds = actionsOf(script).map(({ kind }) => kind);
    expect(kinds.length).toBeGreaterThan(0);
    for (const kind of kinds) expect(['may_change', 'all_changed', 'changed']).toContain(kind);
  });

  it('a text with variables is written, and nobody knows what it says', () => {
    expect(
      actionsOf('"now: $(Get-Date)" | Set-Content a.txt').map(({ kind }) => kind),
    ).not.toContain('written');
    expect(actionsOf('@"\nhome: $HOME\n"@ | Set-Content a.txt')).toEqual([
      { kind: 'rewritten', path: 'C:/work/app/a.txt' },
    ]);
  });

  it('what failed may have been carried out in part', () => {
    const script = 'Remove-Item a.ts; Remove-Item b.ts';
    const kinds = actionsOf(script, 'Remove-Item : Cannot find path', 1).map(({ kind }) => kind);
    expect(kinds).not.toContain('deleted');
  });

  it('a long script is read in one pass', () => {
    const script = Array.from({ length: 5_000 }, (_, n) => `'x${n}' | Set-Content f${n}.txt`).join(
      '\n',
    );
    expect(actionsOf(script).length).toBe(5_000);
    expect(actionsOf(`${"'a',".repeat(100_000)}`).length).toBeGreaterThanOrEqual(0);
  });
});

describe('scripts of other shells that only speak of cmdlets', () => {
  it.each([
    ['rm -rf build && git commit -m "Use Get-Content here"'],
    ['cp -r src dist # as Copy-Item does'],
    [`echo "Set-Content is gone" > notes.txt; rm -f old.txt`],
  ])('are read as those: %s', (command) => {
    const input = { command };
    const call: ToolCall = { kind: 'tool_call', id: 'c', name: 'Bash', input, source: input };
    const content = [{ kind: 'text' as const, text: '' }];
    const result: ToolResult = { kind: 'tool_result', call_id: 'c', content, is_error: false };
    const of = (name: string) =>
      actionsOfCall(
        { ...call, input: { command: command.replaceAll(/[GSC][a-z]+-[A-Z][a-z]+/g, name) } },
        result,
        { session: '/w', shell: '/w' },
        new Effort(),
      ).actions;
    const plain = of('this').map(({ kind }) => kind);
    expect(of('Get-Item').map(({ kind }) => kind)).toEqual(plain);
    expect(plain.length).toBeGreaterThan(0);
  });
});
