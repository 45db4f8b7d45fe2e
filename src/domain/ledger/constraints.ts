import { withoutNotes } from '../items/passing-notes.ts';
import { cleaned, clipMiddle, oneLine } from '../text.ts';
import { anyOf } from '../word-patterns.ts';
import { saysAnswerLanguage } from './answer-language.ts';
import { demands } from './demands.ts';
import { withoutFindings, withoutProblems } from './findings.ts';
import { type Forbidden, forbiddenIn } from './forbidden-lists.ts';
import { needsLeave } from './leave.ts';
import type { Constraint, Request } from './ledger.ts';
import { withoutReports } from './reports.ts';
import { areAlike, sentencesOf, subjectOf } from './sentences.ts';
import { withoutTerminals } from './terminals.ts';
import {
  isAbout,
  isCertainlyMeant,
  takesBackLast,
  type Withdrawal,
  withdrawalIn,
} from './withdrawn.ts';

/** Words that say that something holds from now on, in the languages that people write to agents in. */
const holdsForGood = anyOf([
  /\b(?:always|never|(?<!\b(?:seconds?|minutes?|mins?|hours?|days?|nights?|weeks?|months?|quarters?|years?|decades?|time|long|far) )from now\b(?! (?:until|till|to)\b)|going forward|(?<!\b(?:is|are|was|were|be|dates?|times?|far) )in (?:the )?future(?! (?:phases?|versions?|releases?|sprints?|iterations?|updates?|work|plans?)\b)|henceforth|whenever|every ?time|each time|any ?time|at all times|without exception|prefer(?:s|red|ably)?|(?:my|our|his|her|their|the user['’]s) (?:[a-z-]+ ){0,2}preferences?|preferences? (?:is|are|for)|remember (?:to|that|this)|keep in mind|as a rule|by default|don['’]?t ever|stick (?:to|with)|no matter)\b/i,
  // What is to be done then, not what happens then.
  /(?<!\bthe )\bnext time(?:,? (?:please|don['’]?t|do not|always|never|first|just|use|ask|let|make sure|run|check|try|be|remember|tell|show|start|write|put|keep|stop|wait|commit|test)\b(?! (?:it|this|that|they)\b)| you\b)|\b(?:please|don['’]?t|do not)\b[^.!?;\n]{1,80}(?<!\bthe) next time\W{0,3}$/i,
  // In Polish `nie` is but "not".
  /\b(?:immer|nie(?! (?:\p{L}{2,30}[aiuy]j(?:cie)?|pisz|bierz|jest|ma|mam|wiem|chce|trzeba|wolno|dziala|moze|mozna|tylko|to)(?!\p{L}))(?!.{0,300}[ąćęłńóśźż])|niemals|stets|ab (?:jetzt|sofort)|künftig|in zukunft|von nun an|jedes ?mal|bevorzug\p{L}*|grundsätzlich|merk dir)(?!\p{L})/iu,
  /(?<!\p{L})(?:toujours|jamais|désormais|dorénavant|à partir de maintenant|chaque fois|à l['’]avenir|préfèr\p{L}*)(?!\p{L})/iu,
  /\b(?:siempre|nunca|jamás|de ahora en adelante|a partir de ahora|cada vez|prefier\p{L}*|sempre|d['’]ora in poi|ogni volta|preferisc\p{L}*|a partir de agora|(?:daqui|de agora) (?:em diante|(?:pra|para) (?:a )?frente)|doravante|a partir de hoje|toda vez|prefir\p{L}*|desde ahora|de aquí en adelante|en lo sucesivo|altijd|nooit|vanaf nu|voortaan|(?:elke|iedere) keer(?=,? (?:(?:als|dat|wanneer) )?(?:je|jij|u|jullie) ))(?!\p{L})/iu,
  /总是|总要|永远|从不|绝不|绝对不|記住|记住|總是|永遠|從不|絕不|絕對不|從現在(?:開始|起)|務必|始終|从现在(?:开始|起)|今后|(?:(?<=^|[，,。；;：:！!？?“「（(、]|(?<![a-z_0-9)\x60])\s|ok |[我你您们們吧哦啊呢嗯]|希望|是|[从從]今|[记記][住得]|但是?|所以|(?<![从從])那|而且|另外)以[后後](?!的)|以[后後](?=就?(?:[都每别別请請]|不要|不[准许許])|[务務]必|必[须須]))|(?:^|[，,。；;：:！!\s]|从今)往[后後](?![端台翻移退走推排滚滾拉拖面])|每次|每[当當](?=[^。！!？?\n]{0,60}(?:[你您]|[请請]|要先|都要|就要|必[须須]|[务務]必|[记記]得))|务必|一律|始终|不要再|凡是(?=[^。！!？?\n]{0,60}(?:(?<![重需主])要|必[须須]|[请請]|不得|禁止|[别別]|先))|从今|下次(?:[请請](?!求)|[要别別]|不要|[记記]得)|再也不要|(?<!深度|广度|廣度)(?:優先|优先)(?![级級权權度順])|常に|必ず|絶対に|決して|今後|これから|毎回|(?:次回?から|二度と|都度)(?=[^。！？\n]{0,60}(?:ください|下さい|[てで](?:$|[。！!ねよ])|ないで|(?<!か)な(?:$|[。！!])|こと(?:$|[。！!])|お願い|ように(?:$|[。！!し])))|いつも[^、。！？\n]{0,30}(?:ください|して$|こと$)|항상|절대|앞으로|지금부터|이제부터|다음부터|매번|반드시|무조건|언제나|때마다(?=[^.!?\n]{0,80}(?:줘|주세요|[세시]요|십시오|[해하]라|할 ?것|하자|해야 ?(?:해|돼|합니다|됩니다|함|됨)|도록)[.!~]?$)/,
  /(?<!\p{L})(?:всегда|никогда|отныне|впредь|каждый раз|с этого момента|с этих пор|в дальнейшем|предпочита\p{L}*|завжди|ніколи|відтепер|віднині|надалі|щоразу|(?:кожного разу|кожен раз)|з цього моменту|zawsze|nigdy|od teraz|od tej pory|odtąd|za każdym razem|każdorazowo|vždy|nikdy|od teď)(?!\p{L})/iu,
  /(?<!\p{L})(?:her zaman|daima|asla|bundan sonra|bundan böyle|her seferinde|bir daha(?= [^.!?\n]{0,80}m[ae](?:y[ıi]n)?(?:[.!]|$))|selalu|jangan pernah|(?:mulai|dari) (?:sekarang|saat ini)|ke ?depannya|setiap kali(?=[^.!?\n]{0,80}(?<!\p{L})(?:kamu|anda|kau|lu|lo|tolong|harus|wajib|jangan|pastikan|jalankan|cek|buat)(?!\p{L}))|seterusnya|luôn|không bao giờ|từ (?:giờ|nay)|alltid|aldrig|altid|aldri|från och med nu|hädanefter|framöver|i fortsättningen|fra nu af|fra nå av|fremover|heretter|(?:hver gang|varje gång)(?=,? (?:(?:at|att|som) )?(?:du|dere|ni|i) )|aina|älä koskaan|mindig|soha)(?!\p{L})/iu,
  /دائم(?:ا|ً)|دايما|أبد(?:ا|ً)|من الآن(?! إلى| حتى)|من (?:اليوم|هنا) ورايح|(?:في )?كل مرة|همیشه|هرگز|از این پس|از این به بعد|תמיד|לעולם (?:לא|אל)|מעכשיו|हमेशा|सदैव|कभी (?:भी )?(?:नहीं|न|मत)(?!\p{L})|(?:अब|आगे) से|हर बार|(?<!\p{L})(?:hamesha|(?:ab|aage) se|har baar|kabhi (?:bhi )?(?:mat|nahi|na))(?!\p{L})|সবসময়|কখনো|เสมอ|ทุกครั้ง|ห้าม|ต่อจากนี้/u,
]);
/** The same words where they tell what was, what can be, or what somebody or something does by itself. */
const DESCRIBES = new RegExp(
  [
    /\b(?:have|has|had|I['’]ve|we['’]ve|you['’]ve|they['’]ve|it['’]s|he['’]s|she['’]s|['’]d)(?: also| still| really| actually)? (?:never|always)\b/,
    /\bI never (?:told|said|asked|wanted|meant|mentioned)\b/,
    // An order says "don't always".
    /\b(?:(?:is|are|was|were|does|did|has|have|had|would|could)(?:n['’]t| not)|(?:it|this|that|they|he|she|I|we) (?:don['’]t|do not|can['’]t|won['’]t)) always\b/,
    /\b[A-Z]\w{1,30}['’]s [^.!?\n]{0,60}(?<!\b(?:my|our) (?:\w{2,15} )?)\bpreferences? for\b/,
    /^(?:this|these|those|that|the|it)\b(?!.{0,300}\b(?:you|please|must|should|shall|do not|don['’]?t)\b)[^.!?\n]{0,300} in the future(?=\W{0,3}$)/,
    /(?<!\b(?:I|we|my|our|user|users?['’]s?)(?: have| had)?) preferred (?:it|that|them|these|this|those|to|stocks?|shares?|equity)\b/,
    /\b(?:he|she)(?:['’]s| is| was| has been)? (?:\w{2,15} ){0,4}(?:always|at all times)\b|\bI(?:['’]ll| will) (?:always|never) (?:be|forget|have|know|remember)\b/,
    /\b(?:it|they|he|she) (?:never|always) (?:\w{2,20}(?<!e|emb)ed|came|did|gave|got|had|knew|made|said|sold|told|took|was|went|were)\b/,
    /\b(?:can|could|may|might)(?: also| still)? always\b/,
    /(?<!\b(?:you|we) )\b(?:could|may|might)(?: also| still)? never\b/,
    /\b(?:do|does|should|would|will|can) (?:I|it|they|he|she)(?: \w+)? (?:always|never)\b/,
    /\b(?:never|always) (?:did|does|was|were|had|has)\b/,
    // "Use tabs, never spaces" orders one thing in place of another; "Use the old one, never fails" does not.
    /(?<!^\W{0,4}(?:use|prefer|write|name|import|pass|return|keep|put|give|make|add)\b[^.!?;:\n]{0,80}, (?:and )?(?=never (?!(?:appear|bite|break|come|compile|crash|end|fail|finish|get|go|hang|happen|help|hurt|know|let|lie|make|need|return|run|seem|show|stop|take|throw|work)e?s\b)))\b(?:never|always) \w{2,20}[^\Wus]s\b/,
    /\b(?:can|could)\b[^.!?;\n]{0,60}\bany ?time\b/,
    // What a review finds: code that no test and no caller reaches.
    /(?<!\b(?:must|should|shall|may|can|make sure|ensures?|so that)\b[^.!?;\n]{0,80})\bnever (?:actually |even |really )?(?:tested|called|invoked|covered|exercised|executed|triggered|reached|awaited|freed)\b/,
    /(?<!\b(?:must|should|shall|may|can|make sure|ensures?|so that)\b[^.!?;\n]{0,80})\b(?:but|yet) (?:(?:is|are|it['’]s) )?never (?:actually |even |really )?(?:used|displayed|shown|checked(?! in)|handled|closed|released|populated)\b/,
    /(?<!\b(?:must|should|shall|may|can|want|make sure|ensures?|so that)\b[^.!?;\n]{0,80})\b(?:exists?|(?:is|are|was|were)(?: \w+)? (?:declared|defined|imported|implemented|registered|present|in place))\b[^.!?;,\n]{0,60},? but (?:(?:is|are|was|were|it is|it['’]s|they are) never(?! (?:to|allowed|meant)\b)|never (?:actually |even |really )?(?!(?:allow|chang|committ|delet|edit|export|expos|leak|logg|merg|modif|overwrit|print|publish|push|remov|renam|shar|touch)(?:i?ed|ten)\b)(?:\w{2,20}[^be]ed|written|shown|thrown)\b)/,
    // What compilers say of a name that they quote.
    /(?<!\b(?:must|should|shall|may|can|make sure|ensures?|so that)\b[^.!?;\n]{0,80})(?<=[`'"] )(?:is|are) never (?:used|read|constructed|reassigned)(?! (?:in|for|from|by|to|as|on|at|outside|directly)\b)\b/,
    // What is headed as wrong is told as it is.
    /(?<=^[\W\d]{0,8}(?:problem|issue|bug|finding|gap|symptom|root cause)\b[\s*_]{0,4}[:：][^.!?\n]{0,300})\b(?:is|are|was|were|gets?|it['’]s|they['’]re)(?: \w+)? (?:never|always)(?! (?:to|allowed|meant)\b)/,
    /\bno matter (?:what|how|which|when|where)(?: \w+)? (?:I|we) (?:do|did|try|tried|change|changed|set)\b/,
    /\b(?:always|never)-(?!force|ever\b)\w+/,
    // What is, or was, so: no verb orders it.
    /^\W*(?:(?:it|that|this)['’]s )?(?:always|never) (?:true|false|empty|null|undefined|zero|there|(?:been )?(?:tried|tested|seen|done|known|set|used|shown|written|taken|run before|\w{2,20}[^\Wbe]ed))\W*$/,
    // Of a person who is not asked to do so, as in "I'll stick to the plan".
    /\b(?:I|me|they|he|she)\b(?:(?!\b(?:you|we|us|please)\b)[^.!?;\n]){0,120}\bstick (?:to|with)\b/,
    /\b(?:I|we|they|he|she|it|there)\b(?:(?!\b(?:you|please|don['’]?t|do not|must|should)\b)[^.!?;\n]){0,160}\bin (?:the )?future\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);
/** Programs of whose defaults their pages tell, by the names that nobody writes for anything else, and what they are called with. */
const PROGRAM = String.raw`\x60?(?:npm|npx|pnpm|yarn|bun|deno|node|pip|uv|git|docker|kubectl|helm|terraform|cargo|rustc|webpack|vite|jest|vitest|pytest|eslint|prettier|tsc|curl|ssh|nginx)(?: [a-z-]{1,20})?\x60?`;
/** What tells of a default that there is, as pages and logs do, and asks for none. */
const TELLS_DEFAULT = new RegExp(
  [
    String.raw`^(?!.{0,400}\b(?:please|you|your|we|our|i|my|let['’]?s|must|should|shall|always|never|don['’]?t|do not|make sure|ensure|want|need)\b)`,
    String.raw`(?:(?:by default,? )?(?:the|an?|this|these|those|it|its|they|all|each|every|most|some|\S{1,40} (?:is|are|was|were|has|have|will|does|can|may))`,
    String.raw`|by default,? ${PROGRAM} [a-z]{2,20}s|${PROGRAM} by default (?:[a-z]{2,20}s|will))\b`,
  ].join(''),
  'i',
);
const BY_DEFAULT = /\bby default\b/gi;
/** Words that in a question tell what it is about, more often than what is to hold. */
const ASKED_ABOUT =
  /\b(?:in (?:the )?future|next time|keep in mind|stick (?:to|with)|prefer(?:red|ably)|any ?time|no matter)\b/gi;
/** What the user has never done is no rule, and yet worth knowing. */
const EXPERIENCE = /\b(?:I|we)(?:['’]ve| have| had)(?: also| still| really| actually)? never\b/i;
/** What should have been is no demand; what should have rounded corners is. */
const SHOULD_HAVE =
  /\b(?:should|could|would|must|need)(?:n['’]t| not)?(?: \w{2,15}ly)? (?:have|['’]ve) (?:\w{2,15}ly )?(?:been|had|\w{2,20}(?:ed|en|ne|wn)(?= (?:an?|and|at|before|by|for|from|her|him|in|it|on|that|the|them|this|to|us|when|with)\b|[^\S\n]*(?:[.,;:!?)]|$)))\b/gi;
/**
 * A sentence that tells what was, and asks nobody for anything: what pages and reports are full of. In German
 * and Dutch "was" is another word: one that only English has stands in it.
 */
const TELLS_PAST =
  /^(?=[A-Z])(?!(?:if|when|whenever|once|unless|until|only)\b)(?=.{0,400}\b(?:and|by|from|it|that|the|they|this|to|with)\b)(?!.{0,400}\b(?:from now on|going forward|needs? to|ha(?:s|ve) to|must|should|shall|please|you|your|do not|don['’]t|never|always|make sure|ensure|let['’]s|i|we|need|add|change|do|fix|keep|leave|make|put|remove|run|use|write)\b)(?:\S{1,30} ){0,8}(?:was|were|had|did|became|began|brought|caught|gave|grew|led|lost|paid|saw|sold|took|told|went|wrote|(?:it|they|this|that|he|she|who|which) (?:\w{2,15}ly )?\w{3,20}ed)\b/i;
/** What the user does not know or has to do now and then, which nobody is asked to change. */
const KNOWS_NOT =
  /\b(?:sometimes|usually|often) (?:I|we) (?:just )?(?:need|have) to\b|^(?:really |still )?don['’]?t (?:remember|recall|recogni[sz]e|know|understand)\b|\b(?:I|we)(?: (?:really|still|just|also|actually|honestly))? (?:do not|don['’]?t) (?:(?:really|even|actually|fully|quite|exactly) )?(?:remember|recall|recogni[sz]e|know|think|understand|mind|see (?:why|how|what))\b/gi;
/** What is written in capitals for weight; in SQL it weighs nothing. */
const EMPHASISED = /(?<!\b(?:IF|IS|OR|AND|WHERE) )\bNOT\b(?! (?:NULL|EXISTS|IN|LIKE)\b)/;
/** What there is to be none of; "no" in capitals also answers, tells what is missing, and is "not" in Spanish. */
const NONE_OF =
  /(?:^|[.;:!,(] )NO (?:any|new|extra|additional|external|third-party|hard-?coded|force|direct|breaking|inline|default|emojis?|comments?|commits?|mocks?|stubs?|placeholders?|dependencies|frameworks|libraries|shortcuts|exceptions|assumptions|guessing|explanations?|markdown|prose)\b(?![^.!?\n]{0,60}\b(?:is|are|was|were|has|have|had|appears?|found|shown)\b)/;
/** Who asks why something always happens demands nothing. */
const ASKS =
  /^(?:why|what|when|how|who|where|which|does|did|is|are|was|were|do|has|have|warum|wieso|wie|was|wann|pourquoi|comment|por qué|cómo|perché|почему|为什么|なぜ|لماذا|كيف|هل|متى|أين|چرا|למה|איך|क्यों|कैसे|क्या|dlaczego|jak|neden|nasıl|mengapa|kenapa|tại sao)(?!\p{L}).{0,400}[?？؟]\W{0,20}$/iu;
/** A question in Chinese asks by words in its midst, unless it asks for something politely. */
const ASKS_WITHIN =
  /是否|是不是|[会會]不[会會]|有[没沒]有|[为為]什[么麼]|怎[么麼]|什[么麼]|哪|[还還]是|[吗嗎呢]/;
const ENDS_ASKING =
  /(?:[?？吗嗎呢]|怎[么麼](?:[办辦]|[处處]理|回事)|什[么麼](?:原因|情[况況]))["'”」）)\s]{0,5}$/;
const ASKS_POLITELY = /能不能|可不可以|可以|能否|[好行][吗嗎]|[请請]|[帮幫]我|明白|知道|[记記]住/;
/** What stands in quotes is spoken of; behind a colon it is what is said. */
const MENTIONED =
  /(?<![:：] ?)(?:“[^”\n]{2,200}”|「[^」\n]{2,200}」|『[^』\n]{2,200}』|«[^»\n]{2,200}»|(?<![\p{L}\p{N}"])"[^"\n]{2,200}"(?![\p{L}\p{N}"]))/gu;
/** What somebody says in a story or a play, in several sentences: the user tells it and demands none of it. */
const SPEECH =
  /(?<![:：] {0,2})(?:“[^“”\n]{2,1000}”|(?<![\p{L}\p{N}"])"[^"\n]{1,1000}"(?![\p{L}\p{N}"]))/gu;

function withoutSpeech(text: string): string {
  if (!/["“]/.test(text)) return text;
  const told = text.replace(SPEECH, (said) => (/[.!?…] \p{Lu}/u.test(said) ? ' ' : said));
  // Where little else is said, what stands in quotes is what is wanted.
  return /(?<!\p{L})\p{L}+(?:[^\p{L}]+\p{L}+){2}/u.test(told.replace(SPEECH, ' ')) ? told : text;
}

/** Words of demands that programs use as well: who writes in another script says such a thing in that. */
const SAID_BY_PROGRAMS = /\b(?:required|only|no longer|without|instead of|needs? to|have to)\b/gi;
const NO_LATIN_LETTER = /[^\P{L}\p{Script=Latin}]/u;
/** Of one message; a page of pasted text says "must" all over. */
const MOST_IN_MESSAGE = 12;
const SAME_SUBJECT = 0.6;
const LONGEST_INSTRUCTION = 300;
const SHORT_OPENING = 60;
const LOOKED_AT = 2_000;

/** An order says so at its beginning; what describes a design has the same words on its way. */
const OPENS_ORDER =
  /^(?:(?:please|also|and),? )?(?:do not|don['’"´`]?t|never|always|no|only|use|keep|avoid|ensure|make sure|(?:you )?must|you should)\b/i;

/** Who pastes a page says what is wanted of it before or behind. */
const LONG_PAGE = 40;
const AROUND_PAGE = 6;
const ADDRESSES = /\b(?:please|you(?:r|['’]ll)?|remember)\b/i;

type Found = { sentence: string; isStanding: boolean; isAround: boolean };

/** Of all that one message demands: what holds for good, then what is nothing but an order. */
function rankOf({ sentence, isStanding, isAround }: Found): number {
  const isOrder = OPENS_ORDER.test(sentence) || (isAround && ADDRESSES.test(sentence));
  return (isStanding ? 2 : 0) + (isOrder ? 1 : 0) + (isAround ? 2 : 0);
}

/** In a chat of several the name of who says it stands in front. */
const NAMED = /^\[\p{Lu}[\p{L} ]{0,40}\] /u;

/** How far into a sentence the words stand of one that is nothing but an instruction. */
const AT_START = 24;

/** Whether a sentence says at its beginning that something holds for good. */
export function startsStanding(sentence: string): boolean {
  return saysStanding(sentence.slice(0, AT_START));
}

function saysStanding(sentence: string): boolean {
  // Most sentences have no such words: to take out where these describe costs many times what that does.
  if (!holdsForGood(sentence) && !needsLeave(sentence) && !saysAnswerLanguage(sentence)) {
    return false;
  }
  if (TELLS_PAST.test(sentence)) return false;
  const told = sentence.replace(DESCRIBES, ' ');
  const said = TELLS_DEFAULT.test(told) ? told.replace(BY_DEFAULT, ' ') : told;
  const isAsking = isQuestion(said);
  if (!isAsking && (needsLeave(said) || saysAnswerLanguage(said))) return true;
  const words = isAsking ? said.replace(ASKED_ABOUT, ' ') : said;
  return holdsForGood(words) && holdsForGood(withoutReports(words));
}

/** Whether a text begins, as far as it says something, in another script than the Latin one. */
function beginsInOtherScript(text: string): boolean {
  return NO_LATIN_LETTER.test(/^.*\p{L}.*$/mu.exec(text.slice(0, LOOKED_AT))?.[0] ?? '');
}

function isDemanded(sentence: string): boolean {
  return demands(sentence) && demands(withoutReports(sentence));
}

/** The same of a sentence without what it only tells; most demand nothing, which is soon found out. */
function isAskedFor(sentence: string, isPasted: boolean): boolean {
  if (!demands(sentence)) return false;
  const isTold = isPasted || TELLS_PAST.test(sentence);
  const asked = isTold ? sentence.replace(SAID_BY_PROGRAMS, ' ') : sentence;
  return isDemanded(asked.replace(KNOWS_NOT, ' ').replace(SHOULD_HAVE, ' '));
}

/** Typed in haste, a question has no sign: no order begins so, and no condition has no comma. */
const OPENS_QUESTION = anyOf([
  /^(?:(?:so|then|and|but|or|ok(?:ay)?|also|well|hmm+|wait),? ){0,3}(?:should(?:n['’]?t)?|do|don['’]?t|did|shall|must) (?:we|i)\b[^,]*$/i,
  // With the name of who is asked in front, and no clause behind that asks for something.
  /^(?:\p{L}{2,20},? ){0,2}(?:how (?:do|can|could|would|should) (?:i|we|you)|c[oó]mo (?:puedo|podemos|hago|hacemos|podría)|como (?:posso|podemos|faço|eu)|wie (?:kann|mache|muss) (?:ich|man|wir)|comment (?:puis-je|je|on|faire)|как (?:мне|можно|нам|я)|come (?:posso|faccio|si)) [^,;:.!]*$/iu,
]);

function isQuestion(sentence: string): boolean {
  return /[?？؟]\W{0,20}$/.test(sentence) || OPENS_QUESTION(sentence);
}

/** Whether it tells what the user has never done. */
export function isExperience(sentence: string): boolean {
  return EXPERIENCE.test(sentence);
}

/** Whether a sentence asks how things are, and for nothing. */
function isAsked(sentence: string): boolean {
  if (ASKS.test(sentence) || /^(?:always|never) (?:an?|the)\b[^?]{0,100}\?$/i.test(sentence)) {
    return true;
  }
  return ENDS_ASKING.test(sentence) && ASKS_WITHIN.test(sentence) && !ASKS_POLITELY.test(sentence);
}

function isEmphasised(sentence: string): boolean {
  return (EMPHASISED.test(sentence) || NONE_OF.test(sentence)) && /\p{Ll}{3}/u.test(sentence);
}

/** A sentence that is little more than what it quotes says that itself. */
function withoutMentions(sentence: string): string {
  const own = sentence.replace(MENTIONED, ' ');
  return own.length * 3 < sentence.length ? sentence : own;
}

/** What ends in a colon says nothing without the list that follows. */
function saysNothing(sentence: string): boolean {
  return sentence.length <= SHORT_OPENING && /[:：]\W{0,3}$/.test(sentence);
}

function forbids({ heading, whole }: Forbidden): boolean {
  return !isAsked(whole) && (saysStanding(heading) || isDemanded(heading) || isEmphasised(heading));
}

/** The heading of the list in which a sentence stands of which the opposite is wanted. */
function headingOver(sentence: string, lists: readonly Forbidden[]): string | null {
  const bare = sentence.replace(/[.;,。；，]$/, '');
  const list = lists.find(({ contrary }) => contrary.some((item) => item.includes(bare)));
  return list?.heading ?? null;
}

/** What has to hold, as the user and the project's instructions say it. */
export class Constraints {
  private readonly list: { fact: Constraint; about: ReadonlySet<string> }[];

  constructor(constraints: readonly Constraint[]) {
    this.list = constraints.map((fact) => ({ fact, about: subjectOf(fact) }));
  }

  /** `before`: the user's message before this one, where there is one. */
  read(text: string, by: Constraint['by'], seq: number, before?: Request): void {
    // What Claude Code hands over of a project stands in a reminder.
    const words =
      by === 'user'
        ? withoutSpeech(withoutFindings(cleaned(withoutProblems(withoutTerminals(text)))))
        : text;
    if (by === 'user' && before !== undefined && takesBackLast(words)) {
      this.withdrawAllOf(before, seq);
    }
    const all = by === 'user' ? forbiddenIn(words) : [];
    const isOther = by === 'user' && beginsInOtherScript(words);
    const lists = all.filter(forbids);
    const headings = new Set(lists.map(({ heading }) => heading));
    const sentences = sentencesOf(words);
    const isAroundPage = (place: number) =>
      sentences.length > LONG_PAGE &&
      (place < AROUND_PAGE || place >= sentences.length - AROUND_PAGE);
    const found = sentences.flatMap((sentence, place): Found[] => {
      const isAround = isAroundPage(place);
      if (headings.has(sentence)) return [];
      const said = sentence.replace(NAMED, '');
      const withdrawal = by === 'user' ? withdrawalIn(said) : null;
      // It stands beside what it takes back: where that is not certain, both are told.
      if (withdrawal !== null && this.withdraw(withdrawal, seq)) {
        return [{ sentence, isStanding: true, isAround }];
      }
      if (isAsked(said) || saysNothing(said)) return [];
      const own = withoutMentions(said);
      const isPasted = isOther && !NO_LATIN_LETTER.test(own) && !OPENS_ORDER.test(own);
      const isStanding = saysStanding(own);
      const isRequired =
        isStanding ||
        isExperience(said) ||
        (!isQuestion(said) &&
          /^\p{L}/u.test(said) &&
          (isAskedFor(own, isPasted) || isEmphasised(own)));
      if (!isRequired) return [];
      // Below a heading that forbids it, it would say the opposite.
      const above = headingOver(sentence, all);
      const told = above === null ? sentence : `${above} ${sentence}`;
      return [{ sentence: told, isStanding, isAround }];
    });
    for (const { heading, whole } of lists) {
      found.push({ sentence: whole, isStanding: saysStanding(heading), isAround: false });
    }
    // Instructions of a project are nothing but rules: only what holds for good is worth a place.
    const wanted = found.filter(({ isStanding }) => isStanding || by === 'user');
    const first = wanted.toSorted((a, b) => rankOf(b) - rankOf(a));
    const chosen = new Set(first.slice(0, MOST_IN_MESSAGE));
    for (const one of wanted) if (chosen.has(one)) this.add(one.sentence, one.isStanding, by, seq);
  }

  /** A message of whoever runs the agent: all of it holds. */
  instruct(text: string, seq: number): void {
    const own = withoutNotes(text, () => true);
    const words = clipMiddle(oneLine(cleaned(own)), LONGEST_INSTRUCTION);
    // Each holds beside the others, however alike they are.
    if (words !== '') this.add(words, true, 'project_instructions', seq, 1);
  }

  /** Marks all that the user demanded in one message as taken back. */
  private withdrawAllOf(message: Request, seq: number): void {
    for (const one of this.list) {
      const { by, of, seq: at, superseded_by } = one.fact;
      if (by !== 'user' || at !== message.seq || of !== message.of) continue;
      if (superseded_by !== undefined) continue;
      one.fact = { ...one.fact, superseded_by: seq, is_withdrawn: true };
    }
  }

  /** Marks what is certainly taken back. False when nothing was said about it. */
  private withdraw(withdrawal: Withdrawal, seq: number): boolean {
    const about = this.list.filter(
      ({ fact }) =>
        fact.by === 'user' && fact.superseded_by === undefined && isAbout(withdrawal, fact),
    );
    const [only, ...others] = about;
    if (only !== undefined && others.length === 0 && isCertainlyMeant(withdrawal, only.fact)) {
      only.fact = { ...only.fact, superseded_by: seq, is_withdrawn: true };
    }
    return only !== undefined;
  }

  get size(): number {
    return this.list.length;
  }

  facts(): Constraint[] {
    return this.list.map(({ fact }) => fact);
  }

  private add(
    text: string,
    is_standing: boolean,
    by: Constraint['by'],
    seq: number,
    same = SAME_SUBJECT,
  ): void {
    const fact = { seq, last_seq: seq, text, by, is_standing };
    const about = subjectOf(fact);
    for (const [at, other] of this.list.entries()) {
      if (other.fact.by !== by || other.fact.superseded_by !== undefined) continue;
      if (other.fact.text === text) {
        // Said again, it stands behind what was said in between.
        this.list.splice(at, 1);
        this.list.push({ ...other, fact: { ...other.fact, last_seq: seq } });
        return;
      }
      // The same said anew stands for what was said before: the newer one holds.
      const isSame = about.size > 2 && same < 1 && isSaidAnew(about, other.about, same);
      if (isSame) other.fact = { ...other.fact, superseded_by: seq };
    }
    this.list.push({ fact, about });
  }
}

/** Where each names something that the other does not, both hold: a rule for one folder is none for another. */
function isSaidAnew(
  about: ReadonlySet<string>,
  before: ReadonlySet<string>,
  same: number,
): boolean {
  if (!areAlike(about, before, same)) return false;
  const isNarrower = [...about].every((word) => before.has(word));
  return isNarrower || [...before].every((word) => about.has(word));
}
