/** What is chosen from, as it is called in the languages that people write to agents in. */
const CALLED =
  '(?:options?|approach|variante?|plan|alternativ[ae]?|op[çc][ãa]o|opci[óo]n|opzione|opcja|wariant|optie|вариант|варіант|опци[яю]|seçenek|opsi|pilihan|方案|方法|选项|選項|案|オプション|옵션|방안|الخيار|विकल्प)';

const NAMES = new RegExp(CALLED, 'iu');

/** A letter alone, or as one or some of those that were to choose from, where the reply begins. */
const LETTER =
  /^\(?(?:([a-dA-D])[).]?$|(?:[^.!?\n]{0,40}\b(?:options?|with|for|think|prefer|choose|pick|say|take|do) )?([A-D](?:(?:, ?(?:and )?| and | ?& ?)[A-D]\b){0,3})(?:[).:,]|$| (?:is|seems|sounds|looks|and|but|please)\b))/;
/** The same behind what it is called, or in front of what other languages add to it. */
const NAMED_LETTER = new RegExp(
  String.raw`(?<![\p{Script=Latin}\p{Script=Cyrillic}])(?:${CALLED}(?: |(?<![\p{Script=Latin}\p{Script=Cyrillic}]))|[选選])([a-dабвг])(?![\p{Script=Latin}\p{Script=Cyrillic}\d])|^([a-d])(?=案|で|に|を|로|번|안|吧|[，、。！；])`,
  'giu',
);
/** How far a reply chooses. */
const OPENING = /^[^.!?。！？\n]{0,60}/;
const LOOKED_AT = 100;
/** A small letter with words behind it may be one of them, but for those that name another. */
const WORDS_BEHIND = /^\p{Ll} (?!(?:y|e|o|ou|und|oder|et|and|or|en|och|og|и|или) )\p{L}/u;
/** Numbers that are written as words in front of or behind what is counted. */
const SIGNS = '一二三四五六七八九';
const NUMBERED = new RegExp(
  `(?:方案|方法|选项|選項|案)([${SIGNS}])|第([${SIGNS}])(?=[个個种種项項条條])`,
  'gu',
);
/** What was to choose from: in a list, a table or below headings. */
const CHOICE = new RegExp(
  String.raw`^(?:[-*|] ?|#{1,4} ){0,2}\**(?:(\d{1,2}|[a-d])[.):]|${CALLED} ?(\d{1,2}|[a-dабвг]|[${SIGNS}])(?:[.):：、）（]| ?\(|\** [-–—]))`,
  'iu',
);
/** Where each script has its ten digits. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xff10];

/** Marks of choices in a reply: numbers, and letters. */
export function marksIn(reply: string): readonly string[] {
  const plain = withPlainDigits(reply);
  const numbers: string[] = plain.match(/(?<![\w.])\d{1,2}(?![\w.]\w)/g) ?? [];
  const written = [...plain.matchAll(NUMBERED)].map(([, named, counted]) => named ?? counted ?? '');
  return [...numbers, ...written, ...lettersIn(reply)];
}

/** The letters of what a reply chooses. */
export function lettersIn(reply: string): readonly string[] {
  const words = reply.trim();
  const [, alone, several = ''] = LETTER.exec(words) ?? [];
  if (alone !== undefined) return [alone];
  return [...new Set([...(several.match(/[A-D]/g) ?? []), ...namedIn(words)])];
}

/** The letters of all that a reply names: which of them it refuses, its own words say. */
function namedIn(reply: string): string[] {
  const words = reply.slice(0, LOOKED_AT);
  const end = OPENING.exec(words)?.[0].length ?? 0;
  return [...words.matchAll(NAMED_LETTER)].flatMap(({ index, 0: said, 1: named, 2: first }) => {
    const letter = named ?? first;
    const isWord = WORDS_BEHIND.test(words.slice(index + said.length - 1));
    return letter === undefined || index > end || isWord ? [] : [letter];
  });
}

/**
 * The lines that have one of these marks, as those do that can be chosen from; '' for none. `reply`: what names
 * an option means no point of a list that has the same letter.
 */
export function choicesIn(
  lines: readonly string[],
  marks: readonly string[],
  reply: string,
): string {
  const wanted = new Set(marks.map(markOf));
  const found = lines.flatMap((line) => {
    const [, plain, called] = CHOICE.exec(withPlainDigits(line)) ?? [];
    const text = line.replace(/^[|#\s]{1,10}/, '').replace(/ \|$/, '');
    return wanted.has(markOf(plain ?? called ?? '-'))
      ? [{ text, isCalled: plain === undefined }]
      : [];
  });
  const isNamed = NAMES.test(reply) && found.some(({ isCalled }) => isCalled);
  const chosen = found.filter(({ isCalled }) => isCalled || !isNamed);
  return chosen.map(({ text }) => text).join('; ');
}

/** The same for a number, however it is written. */
function markOf(mark: string): string {
  const number = SIGNS.indexOf(mark) + 1;
  return number > 0 && mark !== '' ? String(number) : mark.toLowerCase();
}

function withPlainDigits(text: string): string {
  return text.replace(/(?!\d)\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = ZEROS.find((one) => code >= one && code < one + 10);
    return zero === undefined ? digit : String(code - zero);
  });
}
