/** A word of a command; `isPlain` when the shell puts nothing else in its place. */
export type Word = { text: string; isPlain: boolean };
type Redirect = { operator: '>' | '>>' | '<'; target: Word };
/** What stands for a name that was taken out, or that is still to be put in: `<USER>`. */
const PLACEHOLDER = /<[A-Z][A-Z0-9_-]{1,40}>/y;

function placeholderAt(script: string, at: number): string | null {
  PLACEHOLDER.lastIndex = at;
  return PLACEHOLDER.exec(script)?.[0] ?? null;
}

/** One command. `heredoc` is what it is given to read, when the script itself holds it. */
export type Command = { words: Word[]; redirects: Redirect[]; heredoc: Word | null };
/**
 * Commands that hand their output on, and what stands in front of them. `isBackground`: an `&` stands
 * after them.
 */
export type Pipeline = {
  commands: Command[];
  after: '&&' | '||' | ';' | '&' | null;
  isBackground: boolean;
};

/** Longer scripts are read up to here. */
const MOST_CHARACTERS = 1_000_000;

/**
 * The pipelines of a shell script, in one pass. Null for what is more than a row of commands (loops,
 * functions, subshells, unclosed quotes): nothing certain can be said about it.
 */
export function parseScript(script: string): Pipeline[] | null {
  return script.length > MOST_CHARACTERS ? null : new Lexer(script, false).parse();
}

/**
 * The commands of any script, loops and subshells opened up: what could run, and not whether, how
 * often or in which folder.
 */
export function parseLoosely(script: string): Pipeline[] {
  return new Lexer(script.slice(0, MOST_CHARACTERS), true).parse() ?? [];
}

/** Words in front of a command that runs as if they were not there, and those that end a group. */
const GROUPING = new Set(
  'do done then else elif fi esac if while until in function coproc { } !'.split(' '),
);

const RESERVED = new Set('for while until if case function select { } [[ !'.split(' '));

class Lexer {
  private at = 0;
  private readonly script: string;
  private readonly isLoose: boolean;
  private readonly pipelines: Pipeline[] = [];
  private pipeline: Pipeline = { commands: [], after: null, isBackground: false };
  private command: Command = { words: [], redirects: [], heredoc: null };
  /** The commands that substitutions stand in, and a mark for each subshell. */
  private readonly open: ({ pipeline: Pipeline; command: Command } | null)[] = [];
  /** Heredocs whose bodies begin after the end of this line. */
  private pending: { command: Command; end: string; isQuoted: boolean; stripsTabs: boolean }[] = [];

  constructor(script: string, isLoose: boolean) {
    this.script = script;
    this.isLoose = isLoose;
  }

  parse(): Pipeline[] | null {
    while (this.at < this.script.length) {
      if (this.step()) continue;
      if (!this.isLoose) return null;
      // What is not understood divides commands.
      this.endPipeline(';');
      this.at++;
    }
    if (this.pending.length > 0 && !this.isLoose) return null;
    this.endPipeline(null);
    for (let outer = this.open.pop(); outer !== undefined; outer = this.open.pop()) {
      if (outer === null) continue;
      this.pipeline = outer.pipeline;
      this.command = outer.command;
      this.endPipeline(null);
    }
    return this.pipelines;
  }

  /** Reads the next operator or word; false for what is not understood. */
  private step(): boolean {
    const { script, at } = this;
    const character = script.charAt(at);
    switch (character) {
      case ' ':
      case '\t':
      case '\r':
        this.at++;
        return true;
      case '\n':
        this.at++;
        this.endPipeline(';');
        return this.readHeredocs();
      case '\\':
        if (script[at + 1] !== '\n') return this.word();
        // The line goes on: nothing begins here.
        this.at += 2;
        return true;
      case '#':
        while (this.at < script.length && script[this.at] !== '\n') this.at++;
        return true;
      case '(':
      case ')':
        return this.isLoose && this.bracket(character);
      case ';':
        if (script[at + 1] === ';') return false;
        this.at++;
        this.endPipeline(';');
        return true;
      case '|':
        return this.bar();
      case '&':
        return this.ampersand();
      case '<':
        return placeholderAt(script, at) === null ? this.redirect() : this.word();
      case '>':
        return this.redirect();
      default:
        return this.word();
    }
  }

  /** Opens or ends a subshell; after a substitution, its command goes on with its next word. */
  private bracket(character: string): boolean {
    this.at++;
    this.endPipeline(';');
    if (character === '(') this.open.push(null);
    const outer = character === '(' ? null : (this.open.pop() ?? null);
    if (outer !== null) {
      this.pipeline = outer.pipeline;
      this.command = outer.command;
    }
    return true;
  }

  private substitution(word: Word): boolean {
    this.command.words.push({ text: `${word.text}(`, isPlain: false });
    this.open.push({ pipeline: this.pipeline, command: this.command });
    this.pipeline = { commands: [], after: null, isBackground: false };
    this.command = { words: [], redirects: [], heredoc: null };
    this.at++;
    return true;
  }

  private bar(): boolean {
    if (this.script[this.at + 1] === '|') {
      this.at += 2;
      this.endPipeline('||');
      return true;
    }
    this.at += this.script[this.at + 1] === '&' ? 2 : 1;
    this.endCommand();
    return true;
  }

  private ampersand(): boolean {
    const next = this.script[this.at + 1];
    if (next === '>') {
      this.at++;
      return this.redirect();
    }
    this.at += next === '&' ? 2 : 1;
    this.endPipeline(next === '&' ? '&&' : '&');
    return true;
  }

  private endCommand(): void {
    const { command } = this;
    if (command.words.length + command.redirects.length > 0 || command.heredoc !== null) {
      this.pipeline.commands.push(command);
    }
    this.command = { words: [], redirects: [], heredoc: null };
  }

  private endPipeline(next: Pipeline['after']): void {
    this.endCommand();
    if (this.pipeline.commands.length > 0) {
      this.pipelines.push({ ...this.pipeline, isBackground: next === '&' });
    } else if (next === ';') return;
    this.pipeline = { commands: [], after: next, isBackground: false };
  }

  private redirect(): boolean {
    const match = /^(<<<|<<-|<<|>>|>\||>&|<&|<|>)/.exec(this.script.slice(this.at, this.at + 3));
    const operator = match?.[1] ?? '';
    // `2>`: the number before it is no word of the command.
    const last = this.command.words.at(-1);
    const isNumbered =
      last !== undefined && /^\d$/.test(last.text) && this.script[this.at - 1] === last.text;
    const descriptor = isNumbered ? this.command.words.pop()?.text : undefined;
    this.at += operator.length;
    while (this.script[this.at] === ' ') this.at++;
    const start = this.at;
    if (this.script[this.at] === '(') return false;
    const target = this.readWord();
    if (target === null) return false;
    const isQuoted = /['"\\]/.test(this.script.slice(start, this.at));
    if (operator === '<<' || operator === '<<-') {
      const stripsTabs = operator === '<<-';
      this.pending.push({ command: this.command, end: target.text, isQuoted, stripsTabs });
      return true;
    }
    if (operator === '<<<') {
      this.command.heredoc = { text: `${target.text}\n`, isPlain: target.isPlain };
      return true;
    }
    if (operator === '>&' || operator === '<&') return true;
    // Errors that are sent away are no output.
    if (descriptor === '2' || target.text === '/dev/null') {
      if (operator !== '<' && descriptor !== '2') {
        this.command.redirects.push({ operator: '>', target });
      }
      return true;
    }
    this.command.redirects.push({
      operator: operator === '>>' ? '>>' : operator === '<' ? '<' : '>',
      target,
    });
    return true;
  }

  private readHeredocs(): boolean {
    for (const { command, end, isQuoted, stripsTabs } of this.pending) {
      const lines: string[] = [];
      let isClosed = false;
      while (this.at <= this.script.length && !isClosed) {
        const feed = this.script.indexOf('\n', this.at);
        const stop = feed === -1 ? this.script.length : feed;
        const raw = this.script.slice(this.at, stop);
        const line = stripsTabs ? raw.replace(/^\t+/, '') : raw;
        this.at = stop + 1;
        if (line === end) isClosed = true;
        else lines.push(`${line}\n`);
      }
      if (!isClosed) return false;
      const text = lines.join('');
      command.heredoc = { text, isPlain: isQuoted || !/[$`\\]/.test(text) };
    }
    this.pending = [];
    return true;
  }

  private word(): boolean {
    const word = this.readWord();
    if (word === null) return false;
    const isFirst = this.command.words.length === 0;
    if (isFirst && this.isLoose && GROUPING.has(word.text)) return true;
    if (isFirst && !this.isLoose && RESERVED.has(word.text)) return false;
    if (this.isLoose && this.script[this.at] === '(' && word.text.endsWith('$')) {
      return this.substitution(word);
    }
    this.command.words.push(word);
    return true;
  }

  /** A word with its quotes taken off; null when a quote does not end. */
  private readWord(): Word | null {
    const { script } = this;
    let text = '';
    let isPlain = true;
    for (; this.at < script.length; this.at++) {
      const character = script.charAt(this.at);
      const placeholder = character === '<' ? placeholderAt(script, this.at) : null;
      if (placeholder !== null) {
        text += placeholder;
        isPlain = false;
        this.at += placeholder.length - 1;
        continue;
      }
      if (' \t\r\n;&|<>()'.includes(character)) {
        if (character !== '(' || !text.endsWith('$')) break;
        if (!this.isLoose) return null;
        isPlain = false;
        break;
      }
      switch (character) {
        case "'": {
          const end = script.indexOf("'", this.at + 1);
          if (end === -1) return null;
          text += script.slice(this.at + 1, end);
          this.at = end;
          break;
        }
        case '"': {
          const opened = this.at;
          const quoted = this.readQuoted();
          if (quoted === null) {
            this.at = opened;
            return null;
          }
          text += quoted.text;
          isPlain &&= quoted.isPlain;
          break;
        }
        case '\\':
          this.at++;
          if (script[this.at] !== '\n') text += script.charAt(this.at);
          break;
        default:
          if ('$`*?[{'.includes(character)) isPlain = false;
          text += character;
      }
    }
    return { text, isPlain };
  }

  /** What stands between double quotes; `at` ends on the closing one. */
  private readQuoted(): Word | null {
    const { script } = this;
    const parts: string[] = [];
    let isPlain = true;
    for (this.at++; this.at < script.length; this.at++) {
      const character = script.charAt(this.at);
      if (character === '"') return { text: parts.join(''), isPlain };
      if (character === '\\' && '$`"\\\n'.includes(script.charAt(this.at + 1))) {
        this.at++;
        if (script[this.at] !== '\n') parts.push(script.charAt(this.at));
        continue;
      }
      if (character === '$' || character === '`') isPlain = false;
      parts.push(character);
    }
    return null;
  }
}
