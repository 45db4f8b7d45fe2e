import type { Constraint } from './ledger.ts';
import { wordsOf } from './withdrawn.ts';

/** Words by which an instruction says that it changes what was said before. */
const CHANGES = new RegExp(
  [
    /\b(?:from (?:now|here|today|this point) on(?:wards?)?|going forward|henceforth|(?<!\b(?:for|right|until|by|just) )now|instead|rather than|no longer|any ?more|again|after all|actually|forget|never ?mind)\b|, not (?!(?:if|when|because|yet|to)\b)/,
    /(?<!\p{L})(?:ab (?:jetzt|sofort|heute)|von nun an|künftig|in zukunft|jetzt|nun|nicht mehr|doch|stattdessen|sondern|statt)(?!\p{L})/u,
    /(?<!\p{L})(?:désormais|dorénavant|à partir de maintenant|maintenant|plutôt|au lieu d[eu]|finalement|oublie)(?!\p{L})/u,
    /(?<!\p{L})(?:de ahora en adelante|a partir de ahora|desde ahora|ahora|en (?:vez|lugar) de|mejor|a partir de agora|daqui em diante|agora|em vez de|ao invés de|d['’]ora in poi|da adesso|adesso|invece)(?!\p{L})/u,
    /(?<!\p{L})(?:отныне|впредь|теперь|больше не|вместо|с этого момента|bundan sonra|artık|yerine)(?!\p{L})/u,
    /(?<!\p{L})(?:відтепер|віднині|надалі|тепер|більше не|замість|od teraz|od tej pory|teraz|już nie|zamiast|jednak|vanaf nu|voortaan|niet meer|in plaats van|toch)(?!\p{L})/u,
    /(?<!\p{L})(?:från och med nu|hädanefter|framöver|istället|i stället|inte längre|fra n[uå] a[fv]|fremover|heretter|i stedet|ikke længere|ikke lenger|alligevel|mulai sekarang|sekarang|tidak lagi|jangan lagi|ganti)(?!\p{L})/u,
    /(?<!\p{L})(?:من الآن|الآن|بدل(?:ا|ً)? من|لم يعد|अब से|अब|की जगह|के बजाय)(?!\p{L})/u,
    /以[后後]|从现在|從現在|今后|今後|改[为為用成]|不再|而不是|これから|代わり|앞으로|지금부터|대신/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'giu',
);
/** Of two that are about the same, this share of the words stands in both. */
const SHARED = 0.25;
/** Words of all of them. */
const FOR_GOOD =
  /(?<!\p{L})(?:siempre|sempre|toujours|immer|всегда|завжди|zawsze|altijd|alltid|altid|selalu|her zaman|دائما|हमेशा|总是|總是)(?!\p{L})/giu;
const SIGN = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

/**
 * For each instruction of the user that changes something the last one before it that is about the same.
 * Both may hold: what is certain is that this one was said later.
 */
export function changedBy(constraints: readonly Constraint[]): Map<Constraint, Constraint> {
  const changed = new Map<Constraint, Constraint>();
  const before: { fact: Constraint; words: ReadonlySet<string> }[] = [];
  for (const fact of constraints) {
    if (fact.by !== 'user') continue;
    const own = fact.text.replace(CHANGES, ' ');
    const words = subjectIn(own);
    const isBefore = (one: (typeof before)[number]) =>
      one.fact.last_seq < fact.last_seq && isSame(one.words, words);
    const older = own === fact.text ? undefined : before.findLast(isBefore);
    if (older !== undefined) changed.set(fact, older.fact);
    if (fact.superseded_by === undefined) before.push({ fact, words });
  }
  return changed;
}

/** The words that say what it is about; of scripts without spaces each two signs. */
function subjectIn(text: string): ReadonlySet<string> {
  const words = wordsOf(text.replace(FOR_GOOD, ' '));
  return new Set(
    words.flatMap((word) =>
      SIGN.test(word) ? [...word.slice(1)].map((sign, at) => `${word[at]}${sign}`) : [word],
    ),
  );
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const both = [...one].filter((word) => other.has(word)).length;
  return both > 0 && both / (one.size + other.size - both) >= SHARED;
}
