import { describe, expect, it, test } from 'vitest';
import type { ToolCall } from '../../../src/domain/items/item.ts';
import type { Json } from '../../../src/domain/json.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { commandReader } from '../../../src/domain/policy/shell-commands.ts';
import { cpuMs } from '../../support/cpu-time.ts';

const config = profileConfig('rawr', 200_000);

function callOf(input: Json, name = 'Bash'): ToolCall {
  return { kind: 'tool_call', id: 'c', name, input, source: null };
}

function boundariesOf(command: Json, name = 'Bash') {
  return commandReader(config)(callOf({ command }, name));
}

describe('commandReader', () => {
  test.each(config.signal_commit_commands)('%s is a commit', (command) => {
    expect(boundariesOf(`${command} -m "Fix the build"`)).toEqual(['commit']);
  });

  test.each(config.signal_pr_commands)('%s is a PR checkpoint', (command) => {
    expect(boundariesOf(`${command} --title x`)).toEqual(['pr_checkpoint']);
  });

  test.each([
    ['git add -A && git commit -m x'],
    ['git add -A\ngit commit -m x'],
    ['cd repo; git commit'],
    ['(git commit -m x)'],
    ['git -C ../repo commit -m x'],
    ['git --no-pager -c user.name=me commit -m x'],
    ['GIT_EDITOR=true git commit'],
    ['sudo git commit'],
    ['timeout 60 git commit'],
    ['/usr/bin/git commit'],
    ['bash -lc "git commit -m x"'],
    ["/bin/zsh -lc 'git add . && git commit'"],
    [['bash', '-lc', 'git add -A && git commit -m "x"']],
    [['git', 'commit', '-m', 'x']],
  ])('%j runs git commit', (command) => {
    expect(boundariesOf(command)).toEqual(['commit']);
  });

  test.each([
    ['git status'],
    ['git commit-tree HEAD'],
    ['git log commit'],
    ['digit commit'],
    ['echo git commit'],
    ['grep -rn "git commit" docs'],
    ['gh pr view 12'],
    ['gh pr'],
    ['gh issue create'],
    ['git'],
    [''],
  ])('%j runs none of them', (command) => {
    expect(boundariesOf(command)).toEqual([]);
  });

  it('finds both in one line', () => {
    expect(boundariesOf('git commit -m x && gh pr create')).toEqual(['commit', 'pr_checkpoint']);
  });

  test.each([
    ['shell'],
    ['bash'],
    ['Bash'],
    ['exec_command'],
    ['shell_command'],
    ['local_shell'],
    ['container.exec'],
    ['execute_bash'],
    ['execute_command'],
    ['run_shell_command'],
    ['run_command'],
    ['run_terminal_cmd'],
    // Cline and Droid.
    ['run_commands'],
    ['Execute'],
  ])('%s is a shell', (name) => {
    expect(boundariesOf('git commit', name)).toEqual(['commit']);
  });

  it('reads no command line from other tools', () => {
    expect(boundariesOf('git commit', 'Write')).toEqual([]);
  });

  test.each<[string, Json]>([
    ['cmd', { cmd: 'git commit' }],
    ['commands', { commands: ['git add .', 'git commit -m x'] }],
    ['plain text', 'git commit'],
  ])('takes the command line from %s', (_, input) => {
    expect(commandReader(config)(callOf(input))).toEqual(['commit']);
  });

  test.each<[string, Json]>([
    ['a number', 7],
    ['null', null],
    ['a list', ['git commit']],
    ['an object without one', { path: 'git commit' }],
  ])('finds nothing in %s', (_, input) => {
    expect(commandReader(config)(callOf(input))).toEqual([]);
  });

  it('takes the commands from the configuration', () => {
    const own = { ...config, signal_commit_commands: ['jj commit', ' '], signal_pr_commands: [] };
    expect(commandReader(own)(callOf({ command: 'jj commit' }))).toEqual(['commit']);
    expect(commandReader(own)(callOf({ command: 'git commit' }))).toEqual([]);
    expect(commandReader(own)(callOf({ command: '' }))).toEqual([]);
  });
});

describe('a line that never ends', () => {
  it.each(['a;', 'env A=b '])('%j, again and again', (step) => {
    const started = cpuMs();
    expect(boundariesOf(step.repeat(500_000))).toEqual([]);
    expect(cpuMs() - started).toBeLessThan(2_000);
  });
});
