import type { Item } from '../../src/domain/items/item.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/domain/json.ts';

/**
 * What a session's files hold, replayed from its raw items as simply as can be: whole reads, writes,
 * and edits of files that are known as a whole. It shares no code with the service. Not a test file.
 */
export class ReplayedFiles {
  readonly whole = new Map<string, string>();
  todos: Json = null;
  private readonly tasks = new Map<string, string>();
  private readonly calls = new Map<string, { name: string; input: Json }>();
  private cwd = '';

  add(item: Item): void {
    if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      const input = item.type === 'function_call' ? JSON.parse(String(item.arguments)) : item.input;
      this.calls.set(String(item.call_id), { name: String(item.name), input: input ?? null });
    } else if (String(item.type).endsWith('_call_output')) {
      this.codexResult(String(item.call_id), String(item.output));
    } else if (Array.isArray(item.tool_calls)) {
      for (const call of item.tool_calls) if (isJsonObject(call)) this.chatCall(call);
    } else if (item.role === 'tool') {
      const call = this.calls.get(String(item.tool_call_id));
      if (call !== undefined) this.otherResult(call.name, call.input, textOf(item.content ?? ''));
    } else if (Array.isArray(item.content)) {
      for (const block of item.content) if (isJsonObject(block)) this.block(block);
    }
  }

  /** Statuses of the tasks that Claude Code was told of one by one. */
  taskStatuses(): string[] {
    return [...this.tasks.values()];
  }

  private block(block: JsonObject): void {
    this.cwd = /<cwd>(.*)<\/cwd>/.exec(String(block.text ?? ''))?.[1] ?? this.cwd;
    if (block.type === 'tool_use') {
      this.calls.set(String(block.id), { name: String(block.name), input: block.input ?? null });
    }
    if (block.type !== 'tool_result' || block.is_error === true) return;
    this.claudeResult(String(block.tool_use_id), textOf(block.content ?? ''));
  }

  private chatCall({ id, function: called }: JsonObject): void {
    if (!isJsonObject(called)) return;
    const input: Json = JSON.parse(String(called.arguments));
    this.calls.set(String(id), { name: String(called.name), input });
  }

  /** The tools of pi, Copilot CLI and Gemini CLI. */
  private otherResult(name: string, given: Json, text: string): void {
    const input = isJsonObject(given) ? given : {};
    const path = String(input.path ?? input.file_path);
    if (/^(?:Error|ENOENT|Path does not exist|File not found|Could not)/.test(text)) return;
    switch (name) {
      case 'write':
      case 'create':
      case 'write_file':
        this.whole.set(path, String(input.content ?? input.file_text));
        return;
      case 'edit': {
        const parts = this.whole.get(path)?.split(String(input.oldText ?? input.old_str)) ?? [];
        if (parts.length === 2)
          this.whole.set(path, parts.join(String(input.newText ?? input.new_str)));
        else this.whole.delete(path);
        return;
      }
      case 'read':
      case 'read_file':
        if (input.offset !== undefined || input.limit !== undefined) return;
        if (!/\[(?:Showing lines|\d+ more lines)|truncated/.test(text)) this.whole.set(path, text);
        return;
      case 'view': {
        const lines = text.split('\n').flatMap((line) => /^\d+\. (.*)$/s.exec(line)?.[1] ?? []);
        if (input.view_range === undefined && lines.length > 0)
          this.whole.set(path, lines.join('\n'));
        return;
      }
      case 'bash':
      case 'run_shell_command':
        this.forgetNamedIn(String(input.command));
        return;
      default:
    }
  }

  private forgetNamedIn(command: string): void {
    if (
      /\bgit (?:checkout|stash|reset|restore|pull|merge|rebase)|--write|--fix|npm run/.test(command)
    ) {
      this.whole.clear();
    }
    if (!/python|node|sed -i|perl|>|\b(?:mv|cp|rm|tee) /.test(command)) return;
    for (const known of this.whole.keys()) {
      if (command.includes(known.slice(known.lastIndexOf('/') + 1))) this.whole.delete(known);
    }
  }

  private claudeResult(id: string, text: string): void {
    const call = this.calls.get(id);
    const input = isJsonObject(call?.input) ? call.input : {};
    const path = String(input.file_path);
    switch (call?.name) {
      case 'TodoWrite':
        this.todos = input.todos ?? null;
        return;
      case 'TaskCreate':
        this.tasks.set(/#(\d+)/.exec(text)?.[1] ?? '', 'pending');
        return;
      case 'TaskUpdate':
        if (typeof input.status === 'string') this.tasks.set(String(input.taskId), input.status);
        return;
      case 'Write':
        this.whole.set(path, String(input.content));
        return;
      case 'Edit': {
        const known = this.whole.get(path);
        if (known === undefined) return;
        const parts = known.split(String(input.old_string));
        this.whole.set(path, parts.join(String(input.new_string)));
        return;
      }
      case 'Bash': {
        const command = String(input.command);
        if (!/python|sed -i|perl|>>/.test(command)) return;
        for (const known of this.whole.keys()) {
          if (command.includes(known.slice(known.lastIndexOf('/') + 1))) this.whole.delete(known);
        }
        return;
      }
      case 'Read': {
        const lines = text.split('\n').flatMap((line) => /^ *\d+[→\t](.*)$/s.exec(line)?.[1] ?? []);
        if (input.offset === undefined && input.limit === undefined && lines.length > 0) {
          this.whole.set(path, lines.join('\n'));
        }
        return;
      }
      default:
        this.otherResult(call?.name ?? '', input, text);
    }
  }

  private codexResult(id: string, output: string): void {
    const call = this.calls.get(id);
    if (call?.name === 'update_plan' && isJsonObject(call.input))
      this.todos = call.input.plan ?? null;
    if (call?.name === 'apply_patch' && output.includes('Success. Updated'))
      this.patch(String(call.input));
    if (call?.name !== 'exec_command' || !isJsonObject(call.input)) return;
    if (!/\nProcess exited with code 0\n/.test(output) || output.includes('tokens truncated'))
      return;
    const text = output.slice(output.indexOf('\nOutput:\n') + '\nOutput:\n'.length);
    const folder = String(call.input.workdir ?? this.cwd);
    const cmd = String(call.input.cmd);
    const path = (file: string) => (file.startsWith('/') ? file : `${folder}/${file}`);
    const window = /^(nl -ba )?(?:([\w./@-]+) \| )?sed -n '(\d+),(\d+)p'(?: ([\w./@-]+))?$/.exec(
      cmd,
    );
    const whole = /^(cat|nl -ba) ([\w./@-]+)$/.exec(cmd);
    const lines = text.replace(/\n$/, '').split('\n');
    const plain = (isNumbered: boolean) =>
      isNumbered ? lines.map((line) => line.replace(/^ *\d+\t/, '')) : lines;
    if (whole !== null) {
      this.whole.set(path(whole[2] ?? ''), `${plain(whole[1] !== 'cat').join('\n')}\n`);
    } else if (window !== null && text !== '') {
      const [first, last] = [Number(window[3]), Number(window[4])];
      const file = path(window[2] ?? window[5] ?? '');
      this.forgetUnlessSame(file, first, plain(window[1] !== undefined));
      const isEnd = lines.length < last - first + 1;
      if (isEnd && first === 1)
        this.whole.set(file, `${plain(window[1] !== undefined).join('\n')}\n`);
    }
  }

  /** Subagents and users change files, too: what was seen last tells. */
  private forgetUnlessSame(path: string, first: number, lines: readonly string[]): void {
    const known = this.whole
      .get(path)
      ?.split('\n')
      .slice(first - 1, first - 1 + lines.length);
    if (known !== undefined && known.join('\n') !== lines.join('\n')) this.whole.delete(path);
  }

  private patch(patch: string): void {
    const sections = patch.split(/^\*\*\* (?=Add|Update|Delete)/m).slice(1);
    for (const section of sections) {
      const [head = '', ...body] = section.replace(/\*\*\* End Patch\s*$/, '').split('\n');
      const [, kind, file = ''] = /^(\w+) File: (.*)$/.exec(head) ?? [];
      const path = file.startsWith('/') ? file : `${this.cwd}/${file}`;
      if (kind === 'Add') {
        const added = body.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
        this.whole.set(path, `${added.join('\n')}\n`);
      } else if (kind === 'Delete') this.whole.delete(path);
      else this.update(path, body.join('\n'));
    }
  }

  private update(path: string, body: string): void {
    const known = this.whole.get(path);
    if (known === undefined) return;
    let [done, rest] = ['', `\n${known}`];
    for (const hunk of body.split(/^@@.*\n/m).slice(1)) {
      const lines = hunk.replace(/\n$/, '').split('\n');
      const before = lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
      const after = lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
      const at = rest.indexOf(`\n${before.join('\n')}\n`);
      if (at === -1) {
        this.whole.delete(path);
        return;
      }
      const end = at + before.join('\n').length + 1;
      done += rest.slice(0, at) + (after.length > 0 ? `\n${after.join('\n')}` : '');
      rest = rest.slice(end);
    }
    this.whole.set(path, (done + rest).slice(1));
  }
}

function textOf(content: Json): string {
  if (typeof content === 'string') return content;
  return (Array.isArray(content) ? content : [])
    .map((part) => (isJsonObject(part) ? String(part.text ?? '') : ''))
    .join('\n');
}
