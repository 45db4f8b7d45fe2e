import { ANTIGRAVITY_SAYS, BETWEEN_AGENTS } from '../items/speaker-openings.ts';
import { bothEnds, cleaned, clipEnd, oneLine } from '../text.ts';
import type { Conclusion } from './ledger.ts';
import { areAlike, namesSomething, sentencesOf, subjectOf } from './sentences.ts';

const DECIDES =
  /\b(?:decided|(?<!`)decision(?!`|s?[ -](?:guide|framework|tree|table|matri(?:x|ces)|flow|chart|diagram|log|record|mak(?:er|ing)|support|point|engine|boundar(?:y|ies)|logic|rule|node|threshold)s?\b)|instead of|rather than|(?:we|I)(?:['’]ll| will| should) (?:use|keep|go with|switch)|going with|let['’]s (?:use|go with|keep)|agreed|chose|choosing|opted|trade-?offs?|entschieden|stattdessen|statt|décidé|plutôt que|decidid[oa]|en lugar de)\b|决定|改用|而不是|採用|代わりに/i;
const FINDS =
  /\b(?:root cause|turns out|the (?:issue|problem|bug|cause|reason|culprit|fix) (?:is|was)|because|found (?:that|the)|discovered|confirmed|it seems that|which means|caused by|due to|Ursache|weil|stellt sich heraus|parce que|la cause|porque|la causa)\b|原因|因为|问题(?:是|在于)|ため|ので/i;
/** A line of code in an error that somebody has pasted: its comment says nothing of the work. */
const NUMBERED_COMMENT = /^(?:-+> ?)?\d{1,6}\s+(?:#|\/\/)\s/;
const SAME = 0.5;
const LONGEST = 300;
/** A report of what was done says it in its first lines. */
const REPORT_FROM = 200;
/** Characters of a report that are looked at. */
const LOOKED_AT = 40_000;

/** What Claude Code writes around the report of a task: numbers, files and states, in tags. */
const ENVELOPE = /<(task-id|tool-use-id|output-file|status|usage|note)>[\s\S]{0,2000}?<\/\1>/gi;

/** What Codex writes around one: from whom it came. */
const CODEX_FRAME =
  /(?<=^<subagent_notification>\s{0,4})\{"agent_path":"[^"\n]{1,300}","status":\{"completed":"|"\}\}(?=\s{0,4}<\/subagent_notification>\s{0,4}$)/g;

/** What Claude Code 2.1.332 says of one, before it and behind it: whose it is, and what it is not. */
const FRAME =
  /<tools-used-before-summary>[^<]{0,4000}<\/tools-used-before-summary>|^[ ]{0,2}(?:Another Claude|A peer) session sent a message[^\n]{0,40}:$|^[ ]{0,2}\[Subagent hand-back\] The text below is [^\n]{0,1500}:$|^(?:That "other Claude session" is an agent|This came from another Claude session|IMPORTANT: This is NOT from your user|This is from another Claude session)[^\n]{0,3000}/gm;

/** What Antigravity and Codex write in front of one: when it came, and from whom. */
const HEADER = new RegExp(
  String.raw`^(?:${ANTIGRAVITY_SAYS}[\s\S]{0,600}? content=|${BETWEEN_AGENTS})`,
);

/** What says nothing without what stands below it: a heading, a line with a colon at its end, and what comes next. */
const LEADS_IN =
  /^#{1,6} [^\n]{0,200}$|[:：]\W{0,4}$|(?:^|[.!] )(?:let me|now let['’]?s|I['’]ll)\b[^.!?\n]{0,120}[.!]?$/i;
/** Lines of a table between its head and its rows, and fences. */
const RULES = /^[ \t|:=-]{3,400}(?:\n|$)|^[ \t]{0,20}```\w{0,20}(?:\n|$)/gm;

/** The first paragraph of a report that says something, with those that only lead in to it. */
function beginningOf(text: string): string {
  const paragraphs = text
    .slice(0, LOOKED_AT)
    .replace(RULES, '')
    .split(/\n\s*\n/, 12)
    .filter((paragraph) => /\p{L}{3}/u.test(paragraph));
  const own: string[] = [];
  for (const paragraph of paragraphs) {
    own.push(oneLine(cleaned(paragraph)));
    if (!LEADS_IN.test(paragraph.trim()) || own.join(' ').length > LONGEST) break;
  }
  return own.join(' ');
}

/** What was chosen and what was found out. */
export class Conclusions {
  private readonly list: { fact: Conclusion; about: ReadonlySet<string> }[];

  constructor(conclusions: readonly Conclusion[]) {
    this.list = conclusions.map((fact) => ({ fact, about: subjectOf(fact) }));
  }

  /** Sentences that decide or explain something, and name what or say why; of several alike the newest stays. */
  read(text: string, by: Conclusion['by'], seq: number): void {
    for (const sentence of sentencesOf(text)) {
      if (NUMBERED_COMMENT.test(sentence)) continue;
      const decides = DECIDES.test(sentence);
      const finds = FINDS.test(sentence);
      // What is decided and says why needs no name to be worth telling.
      if (!(decides && finds) && !((decides || finds) && namesSomething(sentence))) continue;
      this.add(clipEnd(sentence, LONGEST), decides ? 'decision' : 'finding', by, seq);
    }
  }

  /** The report with which the assistant has ended a turn. */
  endOfTurn(text: string, seq: number): void {
    if (text.length < REPORT_FROM) return;
    const first = beginningOf(text);
    if (first === '') return;
    this.add(clipEnd(first, LONGEST), 'finding', 'assistant', seq);
  }

  /** What another agent or a hook reports: what it has found out, else how it begins. */
  report(text: string, by: 'subagent' | 'hook', seq: number): void {
    // Codex writes it down as JSON.
    const lines = bothEnds(text, LOOKED_AT).replaceAll('\\n', '\n');
    const words = lines
      .replace(HEADER, '')
      .replace(CODEX_FRAME, '')
      .replace(ENVELOPE, '\n')
      .replace(FRAME, '');
    const before = this.list.length;
    this.read(words, by, seq);
    if (this.list.length !== before) return;
    const line = oneLine(cleaned(words.replace(/<\/?[a-z][^<>]{0,300}>/gi, ' ')));
    if (line !== '') this.add(clipEnd(line, LONGEST), 'finding', by, seq);
  }

  get size(): number {
    return this.list.length;
  }

  facts(): Conclusion[] {
    return this.list.map(({ fact }) => fact);
  }

  private add(text: string, kind: Conclusion['kind'], by: Conclusion['by'], seq: number): void {
    const fact = { seq, last_seq: seq, kind, text, by };
    const about = subjectOf(fact);
    // Agents with like tasks report in like words, each of another matter.
    const same = this.list.findIndex((other) =>
      by === 'subagent' ? other.fact.text === text : areAlike(about, other.about, SAME),
    );
    if (same !== -1) this.list.splice(same, 1);
    this.list.push({ fact, about });
  }
}
