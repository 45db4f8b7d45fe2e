import { oneLine } from '../text.ts';
import type { Artifact } from './ledger.ts';

type Kind = Artifact['kind'];

/**
 * What is worth keeping to the letter; each pattern looks at a character a bounded number of times. The
 * last of each says in less time that the pattern can be found nowhere.
 */
const PATTERNS: readonly [Kind, RegExp, RegExp][] = [
  // Brackets that close again are part of an address, as in the names of papers and of variables; of
  // the signs of other scripts those that end a sentence or quote are not.
  [
    'url',
    /\bhttps?:\/\/(?:\{[\w.:-]{1,60}\}|[^\s<>"'`()\]}\\，。、；：！？（）「」『』【】《》“”]|\([^\s<>"'`()\]}]{0,80}\)){4,200}/g,
    /:\/\//,
  ],
  [
    'commit',
    /(?<![\w/-])(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}(?![\w/-])/g,
    /[0-9a-f]{7}/,
  ],
  ['version', /(?<![\w.])v?\d{1,4}\.\d{1,4}\.\d{1,6}(?:-[\w.]{1,20})?(?![\w.]\d)/g, /\d\.\d/],
  [
    'port',
    /(?<=\b(?:port|localhost:|127\.0\.0\.1:|0\.0\.0\.0:) ?)\d{2,5}\b/gi,
    /(?:port|[t10]:) ?\d\d/i,
  ],
  // Of issues, orders, parcels and people; a long figure may be a size or a time as well.
  [
    'id',
    /(?<!\w)(?:#[A-Z]?\d{1,12}|[A-Z]{2,10}-\d{1,12}|(?<![.,/-])(?!1[5-9]\d{8}(?:\d{3})?(?!\d))\d{9,16}(?![.,]\d| ?(?:bytes|B|ms|ns|us)\b))(?![\w-])/g,
    /#\w|-\d|\d{9}/,
  ],
  [
    'number',
    /(?<![\w.])[$€£]?\d{1,3}(?:[,.]?\d{1,3}){0,3} ?(?:%|ms|seconds?|minutes?|hours?|days?|weeks?|months?|years?|[KMGT]i?B|tokens|requests|users|rows|€|USD|EUR)(?!\w)/gi,
    /\d ?[%€a-z]/i,
  ],
  [
    'number',
    /(?<![\w$€£¥])(?:\$\d{1,3}(?:,\d{3}){0,4}\.\d\d|\$\d{2,9}|[€£¥] ?\d{1,9}(?:[.,]\d{1,3}){0,4})(?![\w.]?\d)/g,
    /[$€£¥] ?\d/,
  ],
];
const LOOKED_AT = 20_000;
const MOST_IN_TEXT = 20;
/** Characters before and after a value that say what it is. */
const BEFORE = 60;
const AFTER = 30;
/** So little in front of that, up to the beginning of the line, is told as well: it names what the line is about. */
const NEAR = 40;

/** Addresses, commits, versions and figures that people and the assistant have named. */
export class Artifacts {
  private readonly byValue: Map<string, Artifact>;

  constructor(artifacts: readonly Artifact[]) {
    this.byValue = new Map(artifacts.map((one) => [`${one.kind} ${one.value}`, one]));
  }

  read(text: string, seq: number): void {
    const head = text.slice(0, LOOKED_AT);
    let found = 0;
    for (const [kind, pattern, needed] of PATTERNS) {
      if (!needed.test(head)) continue;
      for (const match of head.matchAll(pattern)) {
        if (found >= MOST_IN_TEXT) return;
        found++;
        this.add(kind, match[0].replace(/[.,;:!?*]+$/, ''), head, match.index, seq);
      }
    }
  }

  get size(): number {
    return this.byValue.size;
  }

  facts(): Artifact[] {
    return [...this.byValue.values()];
  }

  private add(kind: Kind, value: string, text: string, at: number, seq: number): void {
    const key = `${kind} ${value}`;
    const known = this.byValue.get(key);
    // The newest stands last: what gives way first is what was not named for long.
    this.byValue.delete(key);
    const around = wordsAround(text, at, value.length);
    const fact = { seq, last_seq: seq, kind, value, context: around, times: 1 };
    this.byValue.set(
      key,
      known === undefined ? fact : { ...known, last_seq: seq, times: known.times + 1 },
    );
  }
}

/** How far back what turns the words round is looked for, in characters. */
const TURNED_BEFORE = 160;
/** Without such a word before it, a sentence says the contrary. */
const TURNS =
  /(?<!\p{L})(?:not|never|no|nor|without|avoid|cannot|\p{L}{2,8}n['’]t|nicht|kein(?:e[nmrs]?)?|nie|niemals|ohne|ne|pas|jamais|sans|nunca|sin|não|sem|non|senza|niet|geen|не|нет|никогда|без)(?!\p{L})|[不没沒別别勿]|禁止/giu;

/** What other sentences say is not about the value. */
const SENTENCES_BEFORE = /^.*(?:[.!?] +(?=[\p{Lu}"'`*[(])|[。！？])/su;
const SENTENCES_AFTER = /^(.{0,40}?(?:[.!?](?= +[\p{Lu}"'`*[(])|[。！？])).*$/u;

/**
 * What stands on the same line about a place, from a whole word to a whole word; where its sentence goes
 * on, an ellipsis says so.
 */
function wordsAround(text: string, at: number, length: number): string {
  const line = text.lastIndexOf('\n', at) + 1;
  const next = text.indexOf('\n', at + length);
  const end = next === -1 ? text.length : next;
  const to = Math.min(end, at + length + AFTER);
  const after = text.slice(at + length, to).replace(SENTENCES_AFTER, '$1');
  const isToEnd = to === end || after.length < to - at - length;
  const tail = isToEnd ? after : `${after.replace(/\s\S*$/, '')} …`;
  const said = oneLine(headOf(text, line, at) + text.slice(at, at + length) + tail);
  return said.replace(/^(?:[-*>•#]+|\d{1,2}[.)]) +/, '');
}

function headOf(text: string, line: number, at: number): string {
  const from = at - BEFORE <= line + NEAR ? line : at - BEFORE;
  const before = text.slice(from, at).replace(SENTENCES_BEFORE, '');
  if (from === line || before.length < at - from) return before;
  // The word that the cut goes through counts as skipped: it may be the one that turns the rest round.
  const start = from + (/^\S*\s/.exec(before)?.[0].length ?? 0);
  const sentence = text.slice(Math.max(line, at - TURNED_BEFORE), at).replace(SENTENCES_BEFORE, '');
  const skipped = text.slice(at - sentence.length, start);
  const turn = [...skipped.matchAll(TURNS)].at(-1)?.index;
  return `… ${(turn === undefined ? '' : skipped.slice(turn)) + text.slice(start, at)}`;
}
