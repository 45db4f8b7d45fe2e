import type { Constraint } from './ledger.ts';

/**
 * What a sentence takes back: a `rule` that it names, or what was forbidden or asked for, by allowing it. Who
 * is to forget a `subject` may leave it alone or do it after all.
 */
export type Withdrawal = {
  kind: 'rule' | 'subject' | 'permission' | 'release';
  words: readonly string[];
};

const FILLERS = `^(?:(?:ok(?:ay)?|actually|please|so|and|well|oh|hey|also|bitte|ach)[,!]? )*`;
const FORMS: readonly [Withdrawal['kind'], RegExp][] = [
  [
    'rule',
    new RegExp(
      `${FILLERS}(?:forget|ignore|disregard|drop|scrap|scratch|never ?mind|lift|withdraw)(?: about)? (?:(?:what|everything|all|anything) (?:that )?I(?:['’]ve| have)? (?:said|told you|written|wrote|asked|mentioned)(?: (?:before|earlier|above))?|(?:the|my|that|this|our)(?: (?:old|earlier|previous|standing))? (?:rule|instruction|requirement|constraint|ban|restriction)s?)(?: (?:before|earlier))? (?:about|on|regarding|concerning|of|against|for|to|that) (.{2,200})$`,
      'i',
    ),
  ],
  [
    'rule',
    new RegExp(
      `${FILLERS}(?:forget|ignore|disregard|drop|scrap|scratch|never ?mind|lift)(?: about)? (?:the|my|that|our) (.{2,80}) (?:rule|instruction|requirement|constraint|ban|restriction)s?\\W*$`,
      'i',
    ),
  ],
  ['rule', /^(?:vergiss|ignoriere?),? was ich (?:über|zu|von|wegen) (.{2,200}) gesagt habe\W*$/i],
  [
    'rule',
    /^(?:vergiss|ignoriere?) die (?:Regel|Vorgabe|Anweisung) (?:über|zu|mit|von) (.{2,200})$/i,
  ],
  [
    'permission',
    new RegExp(
      String.raw`${FILLERS}(?:(?:you|we) (?:can|may|are (?:free|allowed) to)|it(?:['’]s| is) (?:fine|ok|okay|allowed) to) ((?!not\b)(?=.*\b(?:again|now|after all)\b).{2,200})$`,
      'i',
    ),
  ],
  [
    'permission',
    /^(?:du darfst|du kannst|ihr dürft|wir dürfen) ((?=.*\b(?:doch|wieder)\b).{2,200})$/i,
  ],
  [
    'release',
    new RegExp(
      String.raw`${FILLERS}(?:you|we) (?:no longer (?:need|have) to (.{2,200})|(?:do not|don['’]t) (?:need|have) to (.{2,200}) (?:any ?more|any longer)\W*)$`,
      'i',
    ),
  ],
  [
    'subject',
    new RegExp(`${FILLERS}(?:forget about|never ?mind)(?: the| my| that| our)? (.{2,80})$`, 'i'),
  ],
  ['subject', /^(?:vergiss|lass) (?:das|den|die|dem) ((?!.*\bnicht\b).{2,80})$/i],
  [
    'subject',
    /^(?:olvida(?:te)?|oublie|laisse tomber|esquece|dimentica|lascia perdere)(?: de| do| da| del| della)?(?: (?:lo|el|la|los|las|les?|l['’]|o|a|il))? (.{2,80})$/i,
  ],
];
/** The whole message before is taken back: it was meant for somebody else, or is none any more. */
const TAKES_BACK_LAST =
  /^(?:[^.!?\n]{0,40}[.!,] ?)?(?:please |just )?(?:ignore|disregard|forget|scrap|scratch) (?:about )?(?:my |the |that )?(?:last|previous|prior) (?:message|prompt|request|comment|instruction|post)s?\b(?! (?:if|when|unless|about|on|from|of|in|that|which)\b)/i;

export function takesBackLast(message: string): boolean {
  return TAKES_BACK_LAST.test(message.trimStart());
}

/** What holds only sometimes takes nothing back for good. */
const DEPENDS =
  /\b(?:if|unless|except|only|when|while|until|till|but|provided|once|today|this time|here|wenn|falls|außer|nur|bis|aber|heute)\b/i;
const FORBIDS =
  /\b(?:never|don['’]?t|do not|mustn['’]?t|must not|avoid|cannot|can['’]t|shouldn['’]?t|should not|nie|niemals|nicht|kein(?:e|en|er)?)\b/i;
/** Signs of a sentence that says more than one thing. */
const SEVERAL =
  /[,;:–—(]|\b(?:and|or|but|instead|always|only|unless|except|if|when|und|oder|sondern|immer|nur)\b/i;
const EMPTY = new Set(
  `the and for you can may now again after all with this that them any more please rule about was from
  into use used using run our your its are not never don dont must have had has always should avoid ever
  will would there here what when which der die das den dem des ein eine und für mit von nie niemals
  nicht kein keine keinen doch wieder jetzt nun immer benutze benutzen verwende verwenden bitte darfst
  kannst`.split(/\s+/),
);

/** What a sentence of the user takes back; null for what it says otherwise, and for questions. */
export function withdrawalIn(sentence: string): Withdrawal | null {
  if (sentence.length > 240 || /[?？]\W{0,20}$/.test(sentence) || DEPENDS.test(sentence))
    return null;
  for (const [kind, form] of FORMS) {
    const found = form.exec(sentence);
    if (found === null) continue;
    const words = wordsOf(found[1] ?? found[2] ?? '');
    return words.length === 0 ? null : { kind, words };
  }
  return null;
}

/** Whether an instruction is about all that is taken back. */
export function isAbout({ words }: Withdrawal, { text }: Constraint): boolean {
  const own = new Set(wordsOf(text));
  return words.every((word) => own.has(word));
}

/**
 * Whether it is certain that an instruction, the only one about this, is taken back: it says nothing
 * else, and where something is allowed, no less than that was forbidden.
 */
export function isCertainlyMeant({ kind, words }: Withdrawal, { text }: Constraint): boolean {
  if (kind === 'subject') return false;
  const isOther = kind === 'permission' ? !FORBIDS.test(text) : FORBIDS.test(text);
  if (SEVERAL.test(text.replace(/^(?:always|immer)\b/i, '')) || (kind !== 'rule' && isOther)) {
    return false;
  }
  return kind === 'rule' || wordsOf(text).every((word) => words.includes(word));
}

/** Words that say something, without the endings of their forms. */
export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_][\p{L}\p{N}_.-]*[\p{L}\p{N}_]/gu) ?? [];
  return [...new Set(words)]
    .filter((word) => word.length >= 3 && !EMPTY.has(word))
    .map((word) => word.replace(/(?<=\p{L}{3})(?:ing|ed|es|s)$/u, ''));
}
