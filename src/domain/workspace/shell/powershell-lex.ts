import type { Word } from './lex.ts';

/** A word of PowerShell: `isText` when it stands in quotes; `isMore` when a comma joins it to the one before. */
export type PowerWord = Word & { isText: boolean; isMore: boolean };
type PowerRedirect = { operator: '>' | '>>'; target: Word };
export type PowerCommand = { words: PowerWord[]; redirects: PowerRedirect[] };
export type PowerPipeline = { commands: PowerCommand[]; after: '&&' | '||' | ';' | null };

const MOST_CHARACTERS = 1_000_000;
/** A text over several lines, as it is or with variables in it. */
const HERE = /@(['"])[ \t]*\r?\n/y;
/** What makes more of a script than a row of commands. */
const BEYOND = /[(){}[\]]/;
const BARE_END = /[\s;|,(){}'"<>&]/;

/**
 * The pipelines of a script in PowerShell, in one pass. Null for what is more than a row of commands
 * (blocks, expressions, assignments, unclosed quotes): nothing certain can be said about it.
 */
export function parsePowerShell(script: string): PowerPipeline[] | null {
  return script.length > MOST_CHARACTERS ? null : new PowerLexer(script).parse();
}

class PowerLexer {
  private at = 0;
  private readonly script: string;
  private readonly pipelines: PowerPipeline[] = [];
  private command: PowerCommand = { words: [], redirects: [] };
  private pipeline: PowerPipeline = { commands: [], after: null };
  private isMore = false;

  constructor(script: string) {
    this.script = script;
  }

  parse(): PowerPipeline[] | null {
    while (this.at < this.script.length) if (!this.step()) return null;
    this.end(null);
    return this.pipelines;
  }

  private step(): boolean {
    const char = this.script[this.at] ?? '';
    const two = this.script.slice(this.at, this.at + 2);
    if (char === '\n' || char === ';') {
      // A pipe at the end of a line goes on with the next one.
      const goesOn = char === '\n' && this.command.words.length === 0 && this.isPiped();
      if (!goesOn) this.end(';');
      this.at++;
      return true;
    }
    if (two === '&&' || two === '||') {
      this.end(two);
      this.at += 2;
      return true;
    }
    if (/\s/.test(char) || two === '`\n' || this.script.startsWith('`\r\n', this.at)) {
      this.at += char === '`' ? this.script.indexOf('\n', this.at) - this.at + 1 : 1;
      return true;
    }
    if (char === '#') {
      const end = this.script.indexOf('\n', this.at);
      this.at = end === -1 ? this.script.length : end;
      return true;
    }
    if (char === ',') {
      this.isMore = true;
      this.at++;
      return true;
    }
    if (char === '|') {
      if (this.command.words.length === 0) return false;
      this.pipeline.commands.push(this.command);
      this.command = { words: [], redirects: [] };
      this.at++;
      return true;
    }
    if (char === '&') {
      // The operator that calls what a text names.
      this.at++;
      return this.command.words.length === 0;
    }
    if (/[\d*]?>/.test(two)) return this.redirect();
    return this.word(this.command.words);
  }

  private isPiped(): boolean {
    return this.pipeline.commands.length > 0;
  }

  private end(after: PowerPipeline['after']): void {
    if (this.command.words.length > 0) this.pipeline.commands.push(this.command);
    if (this.pipeline.commands.length > 0) this.pipelines.push(this.pipeline);
    this.command = { words: [], redirects: [] };
    this.pipeline = { commands: [], after };
    this.isMore = false;
  }

  private redirect(): boolean {
    const found = /^([\d*]?)(>{1,2})(&\d)?[ \t]*/.exec(this.script.slice(this.at, this.at + 20));
    if (found === null) return false;
    this.at += found[0].length;
    if (found[3] !== undefined) return true;
    const targets: PowerWord[] = [];
    if (!this.word(targets)) return false;
    const [target] = targets;
    if (target === undefined) return false;
    // What is written to nothing, or is not the output, is no file of the work.
    if (/^\$null$/i.test(target.text) || /^[2-6]$/.test(found[1] ?? '')) return true;
    this.command.redirects.push({ operator: found[2] === '>>' ? '>>' : '>', target });
    return true;
  }

  private word(into: PowerWord[]): boolean {
    const isMore = this.isMore;
    this.isMore = false;
    HERE.lastIndex = this.at;
    const here = HERE.exec(this.script);
    if (here !== null) {
      const quote = here[1] ?? "'";
      const start = this.at + here[0].length;
      const end = this.script.indexOf(`\n${quote}@`, start - 1);
      if (end === -1) return false;
      const raw = this.script.slice(start, Math.max(start, end)).replace(/\r$/, '');
      const text = raw.replaceAll('\r\n', '\n');
      into.push({ text, isPlain: quote === "'" || !/[$`]/.test(text), isText: true, isMore });
      this.at = end + 3;
      return true;
    }
    const char = this.script[this.at] ?? '';
    if (char === "'" || char === '"') return this.quoted(char, isMore, into);
    if (BEYOND.test(char) || char === '<' || char === '@') return false;
    let end = this.at;
    while (end < this.script.length && !BARE_END.test(this.script[end] ?? '')) end++;
    const text = this.script.slice(this.at, end);
    const next = this.script[end] ?? '';
    // An assignment, or a word that goes on as an expression.
    if (text === '' || BEYOND.test(next) || (text === '=' && into.length > 0)) return false;
    if (into.length === 0 && text.startsWith('$')) return false;
    into.push({ text, isPlain: !/[$`*?]/.test(text), isText: false, isMore });
    this.at = end;
    return next !== "'" && next !== '"';
  }

  private quoted(quote: string, isMore: boolean, into: PowerWord[]): boolean {
    let text = '';
    let isPlain = true;
    for (let at = this.at + 1; at < this.script.length; at++) {
      const char = this.script[at] ?? '';
      if (char === quote && this.script[at + 1] === quote) {
        text += quote;
        at++;
      } else if (char === quote) {
        into.push({ text, isPlain, isText: true, isMore });
        this.at = at + 1;
        return !/[\w$'"(.[]/.test(this.script[this.at] ?? ' ');
      } else {
        if (quote === '"' && (char === '$' || char === '`')) isPlain = false;
        text += char;
      }
    }
    return false;
  }
}
