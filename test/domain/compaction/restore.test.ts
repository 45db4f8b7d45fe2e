import { describe, expect, it } from 'vitest';
import { type Material, materialOf } from '../../../src/domain/compaction/material.ts';
import { planMicro } from '../../../src/domain/compaction/micro.ts';
import { restorable } from '../../../src/domain/compaction/restore.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import type { Origin } from '../../../src/domain/session/entry.ts';
import { estimator } from '../../../src/domain/tokens/count.ts';
import { configWith, materialFor, viewOf } from '../../support/given.ts';
import { attachment, call, ofTokens, result, user } from '../../support/items.ts';

function restore(
  items: Item[],
  overrides: ConfigOverrides = {},
  cut = items.length,
): Record<string, string> {
  return restoreFrom(materialFor(items), overrides, cut);
}

function restoreFrom(
  material: Material[],
  overrides: ConfigOverrides = {},
  cut = material.length,
): Record<string, string> {
  const config = configWith(overrides);
  const { files } = restorable(material, cut, config, estimator(config));
  return Object.fromEntries(files.map(({ path, content }) => [path, content]));
}

function withOrigin(items: Item[], origins: Origin[]): Material[] {
  return materialFor(items).map((found, index) => ({
    ...found,
    entry: { ...found.entry, origin: origins[index] ?? 'log' },
  }));
}

const file = (path: string, content: string) => attachment('file', content, path);
/** A call of Claude Code's Read, or of another tool, as their clients write it. */
const read = (id: string, path: string, content: string, tool = 'Read', field = 'file_path') => [
  call(id, tool, { [field]: path }),
  result(id, tool === 'Read' ? numbered(content) : content),
];

/** The lines of a text with their numbers, as Claude Code shows them. */
function numbered(text: string, first = 1): string {
  return text
    .split('\n')
    .map((line, index) => `${String(first + index).padStart(6)}→${line}`)
    .join('\n');
}

describe('the files of restorable', () => {
  it('knows file attachments and results of read-like tools, newest first', () => {
    const items = [
      file('a.ts', 'A'),
      ...read('1', 'b.ts', 'B'),
      ...read('2', 'c.ts', 'C', 'read_file', 'path'),
      ...read('3', 'd.ts', 'D', 'read', 'path'),
      call('4', 'Write', { file_path: 'e.ts', content: 'E' }),
      result('4', 'File created successfully at: e.ts'),
    ];
    expect(Object.entries(restore(items))).toEqual([
      ['e.ts', 'E'],
      ['d.ts', 'D'],
      ['c.ts', 'C'],
      ['b.ts', 'B'],
      ['a.ts', 'A'],
    ]);
  });

  it('restores the latest content of each', () => {
    const items = [file('a.ts', 'old'), file('b.ts', 'B'), ...read('1', 'a.ts', 'new')];
    expect(Object.entries(restore(items))).toEqual([
      ['a.ts', 'new'],
      ['b.ts', 'B'],
    ]);
  });

  it('takes no failed, empty or repeated result, and none of a call that re-used the id', () => {
    const items = [
      ...read('1', 'a.ts', 'A'),
      call('2', 'Read', { file_path: 'a.ts' }),
      result('2', '<tool_use_error>File does not exist.</tool_use_error>', { is_error: true }),
      call('3', 'Read', { file_path: 'a.ts' }),
      result('3', ''),
      result('1', 'a second answer'),
      call('1', 'Bash', { command: 'ls' }),
      result('1', 'listing'),
    ];
    expect(restore(items)).toEqual({ 'a.ts': 'A' });
  });

  describe('skills that were loaded', () => {
    const loaded = (name: string, text: string) =>
      user(`Base directory for this skill: /home/me/.claude/skills/${name}\n\n${text}`);
    const later = [1, 2, 3].flatMap((n) => read(`${n}`, `${n}.ts`, `${n}`));

    it('come back beside the newest files', () => {
      const items = [loaded('release', '# Release\n\nNever skip a step.'), ...later];
      expect(Object.entries(restore(items, { restore_max_files: 2 }))).toEqual([
        ['3.ts', '3'],
        ['2.ts', '2'],
        ['/home/me/.claude/skills/release/SKILL.md, as loaded', '# Release\n\nNever skip a step.'],
      ]);
      expect(restore(items, { restore_max_files: 0 })).toEqual({});
    });

    it('the newest four of them, without what was typed behind their names', () => {
      const five = ['a', 'b', 'c', 'd', 'e'].map((name) =>
        loaded(name, `${name}\n\nARGUMENTS: now`),
      );
      expect(Object.entries(restore([...five, ...later], { restore_max_files: 1 }))).toEqual([
        ['3.ts', '3'],
        ...['e', 'd', 'c', 'b'].map((name) => [
          `/home/me/.claude/skills/${name}/SKILL.md, as loaded`,
          name,
        ]),
      ]);
    });

    it('as they were loaded, whatever may have changed the file since', () => {
      const merged = [call('b', 'Bash', { command: 'git merge main' }), result('b', '')];
      expect(restore([loaded('a', 'A'), ...read('1', '/w/1.ts', '1'), ...merged])).toEqual({
        '/w/1.ts': '[may have changed since: git merge main]\n1',
        '/home/me/.claude/skills/a/SKILL.md, as loaded': 'A',
      });
    });

    it('of Windows, and beside a file of this name that is worked on', () => {
      const windows = user('Base directory for this skill: C:\\Users\\me\\skills\\plan\n\nPlan.');
      const items = [windows, ...later, ...read('s', 'C:/Users/me/skills/plan/SKILL.md', 'X')];
      expect(restore(items, { restore_max_files: 2 })).toEqual({
        'C:/Users/me/skills/plan/SKILL.md': 'X',
        '3.ts': '3',
        'C:/Users/me/skills/plan/SKILL.md, as loaded': 'Plan.',
      });
    });

    it('again and again, after further compactions', () => {
      const loadedBefore = '/home/me/skills/a/SKILL.md, as loaded';
      const items = [file('0.ts', '0'), file(loadedBefore, 'A'), ...later];
      const origins: Origin[] = ['file', 'file'];
      const files = restoreFrom(withOrigin(items, origins), { restore_max_files: 2 });
      expect(Object.keys(files)).toEqual(['3.ts', '2.ts', loadedBefore]);
    });

    it('are none in the words of a user, or without a folder on the disk', () => {
      const items = [
        user('Base directory for this skill: skills/plots is wrong\n\nMove it.'),
        user('> Base directory for this skill: /a/b\n\nWhat is this?'),
        ...later,
      ];
      expect(Object.keys(restore(items))).toEqual(['3.ts', '2.ts', '1.ts']);
    });
  });

  describe('commands that were called', () => {
    const name = (name: string) =>
      `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>core</command-args>`;
    const text = (text: string) => ({ type: 'text', text });
    const called = (command: string, says: string) => ({
      role: 'user',
      content: [text(`${name(command)}\n`), text(says)],
    });
    const later = read('1', '1.ts', '1');

    it('come back with what they say, of several the newest', () => {
      const items = [called('menu', '# Menu'), called('work', '# Work\n\nCommit often.'), ...later];
      expect(Object.entries(restore(items))).toEqual([
        ['1.ts', '1'],
        ['/work, command as loaded', '# Work\n\nCommit often.'],
      ]);
    });

    it('also where that is a message of its own', () => {
      const items = [user(name('work')), user('# Work', { is_meta: true }), ...later];
      expect(restore(items)).toEqual({ '1.ts': '1', '/work, command as loaded': '# Work' });
    });

    it('and where an importer has left the command as it was typed', () => {
      const program = user('# Work', { is_meta: true });
      expect(restore([user('/plans:work plan.md'), program, ...later])).toEqual({
        '1.ts': '1',
        '/plans:work, command as loaded': '# Work',
      });
      expect(restore([user('/w/plan.md is wrong'), program, ...later])).toEqual({ '1.ts': '1' });
    });

    it('without what they printed, and not as words of the user', () => {
      const printed = user('<local-command-stdout>done</local-command-stdout>');
      const items = [user(name('work')), printed, user(name('menu')), user('Be quick.'), ...later];
      expect(restore(items)).toEqual({ '1.ts': '1' });
    });

    it('with more of it than of a file where the room is small', () => {
      const rules = 'Never push to main. '.repeat(200).trim();
      const items = [called('work', rules), ...read('2', '2.ts', rules)];
      const small = { restore_tokens_per_file: 200, restore_total_file_budget: 8_000 };
      const { '2.ts': file = '', '/work, command as loaded': command } = restore(items, small);
      expect(command).toBe(rules);
      expect(file.length).toBeLessThan(rules.length / 2);
    });
  });

  it('restores what micro-compaction has cleared', () => {
    const items = [...read('1', 'a.ts', ofTokens(100)), ...read('2', 'b.ts', 'B')];
    const config = configWith({
      micro_compact_strategy: 'all_older',
      micro_compact_min_tokens_to_save: 0,
      micro_compact_keep_last_n_tools: 0,
      micro_compact_min_result_tokens: 0,
    });
    const view = viewOf(items);
    const limits = {
      tokens: 0,
      threshold: 1,
      before: null,
      context_window: null,
      is_automatic: false,
    };
    const count = estimator(config);
    const micro = planMicro({ view, material: materialOf(view), config, count, ...limits });
    if (micro === null) throw new Error('nothing was planned');
    const edited = viewOf(items, [
      {
        type: 'compaction.micro_completed',
        data: {
          ...micro,
          compaction_id: 'c',
          strategy: 'all_older',
          tokens_before: 0,
          tokens_after: 0,
          is_above_threshold: false,
          is_still_due: false,
          duration_ms: 0,
        },
      },
    ]);
    expect(restoreFrom(materialOf(edited))).toEqual({ 'b.ts': 'B', 'a.ts': ofTokens(100) });
  });

  const edit = (id: string, from: string, to: string) => [
    call(id, 'Edit', { file_path: 'a.ts', old_string: from, new_string: to }),
    result(id, 'The file a.ts has been updated successfully.'),
  ];

  it('replays the edits that came after a read', () => {
    const items = [...read('1', 'a.ts', 'let a = 1;\n'), ...edit('2', '1', '2')];
    expect(restore(items)).toEqual({ 'a.ts': 'let a = 2;\n' });
    expect(restore([...edit('2', '1', '2'), ...read('1', 'a.ts', 'let a = 1;\n')])).toEqual({
      'a.ts': 'let a = 1;\n',
    });
  });

  it('says when a file was changed in a way that the log does not show', () => {
    const items = [...read('1', 'a.ts', 'A'), ...edit('2', 'not there', 'B')];
    expect(restore(items)).toEqual({
      'a.ts': '[may have changed since: an edit that could not be followed]\nA',
    });
  });

  it('says which lines it knows where it does not know all', () => {
    const items = [
      call('1', 'Read', { file_path: 'a.ts', offset: 10, limit: 2 }),
      result('1', numbered('ten\neleven', 10)),
    ];
    expect(restore(items)).toEqual({ 'a.ts': '[lines 10–11 of at least 11]\nten\neleven' });
  });

  it('cuts each file, its note included, to restore_tokens_per_file', () => {
    const items = [...read('1', 'a.ts', ofTokens(500)), ...edit('2', 'not there', 'B')];
    const { 'a.ts': content = '' } = restore(items, { restore_tokens_per_file: 100 });
    expect(content).toMatch(/^\[may have changed .*tokens left out/s);
    expect(estimator(configWith())(content)).toBeLessThanOrEqual(100);
    expect(restore([file('a.ts', 'A')], { restore_tokens_per_file: 0 })).toEqual({});
  });

  const three = [file('a', ofTokens(30)), file('b', ofTokens(80)), file('c', ofTokens(50))];
  it.each<[string, ConfigOverrides, string[]]>([
    ['all fit', {}, ['c', 'b', 'a']],
    ['the newest restore_max_files', { restore_max_files: 2 }, ['c', 'b']],
    ['none', { restore_max_files: 0 }, []],
    ['one that does not fit is skipped', { restore_total_file_budget: 100 }, ['c', 'a']],
    [
      'codex-v2 stops there',
      { restore_total_file_budget: 100, restore_over_budget: 'stop' },
      ['c'],
    ],
    ['a budget just large enough', { restore_total_file_budget: 160 }, ['c', 'b', 'a']],
  ])('%s', (_name, overrides, expected) => {
    expect(Object.keys(restore(three, overrides))).toEqual(expected);
  });

  it('excludes the files of agents, by default and by configuration', () => {
    const paths = [
      '.claude/plans/p.md',
      'x/.claude/agents/a1.md',
      'a.agent.json',
      'b.agent.toml',
      'a.ts',
    ];
    const items = paths.map((path) => file(path, 'x'));
    expect(Object.keys(restore(items))).toEqual(['a.ts']);
    expect(Object.keys(restore(items, { restore_exclude: ['*.ts', 'plans'] }))).toEqual([
      'b.agent.toml',
      'a.agent.json',
      'x/.claude/agents/a1.md',
    ]);
  });

  it('puts back logs that the agent has read: they may be what it works on', () => {
    expect(restore(read('1', '/w/night-2.log', 'step 1\n'))).toEqual({
      '/w/night-2.log': 'step 1\n',
    });
  });

  it('leaves out a file whose latest content stands after the cut', () => {
    const items = [file('a', 'old'), file('b', 'B'), user('cut'), file('a', 'new')];
    expect(restore(items, {}, 2)).toEqual({ b: 'B' });
  });

  it('shows a file as it is after what happened to it after the cut', () => {
    const items = [...read('1', 'a.ts', 'let a = 1;\n'), ...edit('2', '1', '2')];
    expect(restore(items, {}, 2)).toEqual({ 'a.ts': 'let a = 2;\n' });
    const removal = [call('3', 'Bash', { command: 'rm a.ts' }), result('3', '')];
    expect(restore([...items.slice(0, 2), ...removal], {}, 2)).toEqual({});
  });

  it('leaves out a file whose latest content stands in the initial context', () => {
    const items = [file('a', 'A'), file('b', 'old'), file('b', 'new')];
    expect(restoreFrom(withOrigin(items, ['initial', 'initial']))).toEqual({ b: 'new' });
  });

  it('keeps the order of what an earlier compaction restored, newest first', () => {
    const items = [file('new', 'N'), file('old', 'O'), file('newest', 'L')];
    expect(Object.keys(restoreFrom(withOrigin(items, ['file', 'file'])))).toEqual([
      'newest',
      'new',
      'old',
    ]);
  });
});

describe('the todos and the plan of restorable', () => {
  const todo = (content: string) => attachment('todo', content);
  const written = (id: string, content: string) => [
    call(id, 'TodoWrite', { todos: [{ content, status: 'pending', activeForm: content }] }),
    result(id, 'Todos have been modified successfully.'),
  ];
  const todosOf = (material: Material[], cut: number) => {
    const config = configWith();
    const { todos } = restorable(material, cut, config, estimator(config));
    if (todos?.kind !== 'posted') return todos?.content ?? null;
    const { item } = todos.material;
    return item.kind === 'attachment' ? item.text : null;
  };

  it.each<[string, Material[], number, unknown]>([
    ['the newest', materialFor([todo('1'), todo('2'), attachment('plan', 'p')]), 3, '2'],
    ['none when the newest is empty', materialFor([todo('1'), todo(' ')]), 2, null],
    ['none when the newest stands after the cut', materialFor([todo('1'), todo('2')]), 1, null],
    ['none when it stands in the initial context', withOrigin([todo('1')], ['initial']), 1, null],
    ['none without any', materialFor([attachment('plan', 'p')]), 1, null],
    [
      'the list of a call that is newer than an attachment',
      materialFor([todo('1'), ...written('t', 'ship it')]),
      3,
      [{ content: 'ship it', status: 'pending', activeForm: 'ship it' }],
    ],
    ['an attachment that is newer', materialFor([...written('t', 'ship it'), todo('1')]), 3, '1'],
    [
      'none when a call after the cut has a list',
      materialFor([todo('1'), ...written('t', 'x')]),
      1,
      null,
    ],
  ])('%s', (_name, material, cut, expected) => {
    expect(todosOf(material, cut)).toEqual(expected);
  });

  it('holds the plan as its file does now, wherever its program keeps it, and no file beside it', () => {
    const path = '/w/docs/plans/otter.md';
    const items = [
      call('w', 'Write', { file_path: path, content: '1. Look' }),
      result('w', `File created successfully at: ${path}`),
      call('x', 'ExitPlanMode', {}),
      result(
        'x',
        `User has approved your plan. You can now start coding.\n\nYour plan has been saved to: ${path}\nYou can refer back to it if needed during implementation.\n\n## Approved Plan:\n1. Look`,
      ),
    ];
    const edit = [
      call('e', 'Edit', { file_path: path, old_string: '1. Look', new_string: '1. DONE Look' }),
      result('e', `The file ${path} has been updated successfully.`),
    ];
    const restored = (more: Item[], cut = items.length + more.length) => {
      const config = configWith();
      const material = materialFor([...items, ...more]);
      const { plan, files } = restorable(material, cut, config, estimator(config));
      return [plan?.kind === 'plan' ? plan.content : null, files.map((one) => one.path)];
    };
    expect(restored([])).toEqual(['1. Look', []]);
    expect(restored(edit)).toEqual(['1. DONE Look', []]);
    expect(restored(edit, items.length)).toEqual(['1. DONE Look', []]);
    const posted = materialFor([
      attachment('plan', '1. Look', path),
      ...read('r', path, '1. Look'),
      ...edit,
    ]);
    const config = configWith();
    const { plan } = restorable(posted, posted.length, config, estimator(config));
    expect(plan).toMatchObject({ kind: 'plan', content: '1. DONE Look' });
  });
});
