import type { Item } from '../domain/items/item.ts';
import { type Conversation, type Importer, Tally } from './transcript.ts';

/**
 * The chat history of Aider (`.aider.chat.history.md`), which holds every chat of a folder. What the user
 * typed stands behind `#### `, what Aider printed behind `> `. Answers of the model have headings and
 * quotes as well: these follow words of the model, where Aider has always printed something before the
 * user goes on, such as what the answer has cost; and newer versions end a line of the user's with two
 * blanks. What Aider printed is no part of the conversation for Aider either, when it goes on with one.
 */
export const aider: Importer = {
  source: 'aider',
  description: 'Aider chat history (Markdown that begins with "# aider chat started at")',
  matches: (content) =>
    content.kind === 'text' &&
    STARTS_CHAT.test(content.text.slice(0, 200).trimStart().split('\n', 1)[0] ?? ''),
  read: (content) => (content.kind === 'text' ? readChats(content.text) : []),
};

const STARTS_CHAT = /^# aider chat started at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s*$/;
const TYPED = /^#### (.*)$/;
const PRINTED = /^> (.*)$/;
const ENDS = / {2}$/;
/** What Aider prints below an answer, also where an editor has taken the blanks away. */
const BELOW_ANSWER = /^> (?:Tokens: \d|Applied edit to |Commit [\da-f]{7,40} )/;
/** What Aider tells the model of the repository, which it prints where it is asked to. */
const MAP = /^Here are summaries of some files present in my git repository\./;
const MODEL = /^(?:Main model: |Models?: )(\S{1,200})/;
/** What Aider writes where the user has typed nothing. */
const NOTHING = '<blank>';
/** What the model has thought, which Aider gives it no more. */
const THOUGHTS = /<(thinking-content-[\da-f]{8,64})>/g;

function readChats(text: string): Conversation[] {
  const chats: Chat[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (STARTS_CHAT.test(line)) chats.push(new Chat());
    else chats.at(-1)?.read(line);
  }
  const conversations = chats.map((chat) => chat.conversation());
  const [first, ...others] = conversations.filter(({ items }) => items.length > 0);
  if (first === undefined) return conversations.slice(0, 1);
  const empty = conversations.length - others.length - 1;
  if (empty > 0) first.skipped.add('empty_chat', empty);
  return [first, ...others];
}

class Chat {
  readonly #items: Item[] = [];
  readonly #skipped = new Tally();
  #model: string | null = null;
  /** Whose line the last one was that says anything. */
  #last: 'user' | 'assistant' | 'aider' = 'aider';
  /** What Aider prints may go on over several lines, and a map of the repository over blank ones. */
  #isPrinting: 'line' | 'map' | null = null;
  /** Whether lines of the user's end in two blanks. */
  #hasEnds = false;
  #speaker: 'user' | 'assistant' = 'assistant';
  #lines: string[] = [];

  read(line: string): void {
    const isEnded = ENDS.test(line);
    const isOwn = isEnded || this.#last !== 'assistant';
    const isPrinted = isOwn || BELOW_ANSWER.test(line);
    const printed = isPrinted ? PRINTED.exec(line)?.[1] : undefined;
    const typed = isEnded || (isOwn && !this.#hasEnds) ? TYPED.exec(line)?.[1] : undefined;
    if (printed !== undefined) {
      this.#printed(printed);
      this.#isPrinting = MAP.test(printed) ? 'map' : isEnded ? null : 'line';
    } else if (typed !== undefined) {
      this.#isPrinting = null;
      this.#hasEnds ||= isEnded;
      if (typed.trimEnd() === NOTHING) this.#sayNothing();
      else this.#say('user', typed.trimEnd());
    } else if (line.trim() === '') {
      if (this.#isPrinting === 'line') this.#isPrinting = null;
      this.#lines.push('');
    } else if (this.#isPrinting !== null) {
      this.#printed(line);
    } else {
      this.#say('assistant', line);
    }
  }

  conversation(): Conversation {
    this.#end();
    const [items, skipped] = [this.#items, this.#skipped];
    return { format: 'openai-chat', model: this.#model, items, skipped, notes: [] };
  }

  #printed(line: string): void {
    this.#last = 'aider';
    this.#skipped.add('printed_line');
    this.#model = MODEL.exec(line)?.[1] ?? this.#model;
    // What the user says after it is another message.
    if (this.#speaker === 'user') this.#turnTo('assistant');
  }

  #say(speaker: 'user' | 'assistant', line: string): void {
    this.#last = speaker;
    this.#turnTo(speaker);
    this.#lines.push(line);
  }

  #sayNothing(): void {
    this.#last = 'user';
    this.#skipped.add('empty_message');
    if (this.#speaker === 'user') this.#turnTo('assistant');
  }

  #turnTo(speaker: 'user' | 'assistant'): void {
    if (speaker === this.#speaker) return;
    this.#end();
    this.#speaker = speaker;
  }

  #end(): void {
    const said = this.#lines.join('\n');
    const isAnswer = this.#speaker === 'assistant';
    const content = (isAnswer ? withoutThoughts(said) : said).trim();
    this.#lines = [];
    if (content !== '') this.#items.push({ role: this.#speaker, content });
  }
}

/** Without the thoughts, up to one that has no end: to look for that of each opening would take for ever. */
function withoutThoughts(said: string): string {
  const kept: string[] = [];
  let from = 0;
  for (const { 0: opening, 1: name, index } of said.matchAll(THOUGHTS)) {
    if (index < from) continue;
    const end = said.indexOf(`</${name}>`, index);
    if (end < 0) break;
    kept.push(said.slice(from, index));
    from = end + opening.length + 1;
  }
  return kept.join('') + said.slice(from);
}
