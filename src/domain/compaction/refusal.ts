/** How an answer begins that declines the task, in the languages that models answer in. */
const OPENINGS: readonly RegExp[] = [
  // English, also after a word of regret or politeness
  /^(?:unfortunately,? |sorry,? (?:but )?|i apologi[sz]e,? (?:but )?)?(?:i am|i'm) (?:(?:very |really |so )?sorry|unable to|not able to|afraid i (?:can't|cannot))/,
  /^(?:unfortunately,? |sorry,? (?:but )?|i apologi[sz]e,? (?:but )?)?i (?:can't|cannot|can not|won't|will not|must decline to) (?:help|assist|comply|provide|summari[sz]e|do (?:that|this)|fulfil|continue|process|create|generate|engage|discuss|complete|write|produce|support|share)/,
  /^i (?:must|have to) (?:decline|refuse)/,
  /^(?:sorry|i apologi[sz]e)[,.!]/,
  /^as an ai\b/,
  /^(?:this|that|the) (?:request|content|conversation) (?:violates|goes against)/,
  // German, Dutch, Swedish
  /^(?:es )?tut mir (?:sehr )?leid|^leider (?:kann|darf) ich|^ich kann (?:dabei|damit|das|dir|ihnen|diese\w*|hierbei) .{0,40}nicht|^entschuldigung/,
  /^(?:het spijt me|helaas kan ik|sorry, maar ik)|^(?:jag kan tyvärr|tyvärr kan jag|jag är ledsen)/,
  // French, Spanish, Portuguese, Italian
  /^(?:je suis |je regrette|désolée?)(?:\s*désolée?)?[,. ]|^je ne peux pas|^malheureusement,? je ne/,
  /^lo siento|^no puedo (?:ayudar|hacer|cumplir|proporcionar|resumir|continuar)|^lamentablemente,? no/,
  /^(?:me )?desculpe|^sinto muito|^não posso|^infelizmente,? (?:eu )?não/,
  /^mi dispiace|^non posso|^purtroppo non/,
  // Polish, Russian, Turkish
  /^przykro mi|^przepraszam|^niestety,? nie/,
  /^(?:извините|простите|мне жаль|к сожалению,? я)|^я не могу/,
  /^üzgünüm|^maalesef/,
  // Chinese, Japanese, Korean
  /^(?:很)?(?:抱歉|对不起|對不起)|^我(?:无法|無法|不能)/,
  /^(?:大変)?(?:申し訳|すみません|ごめんなさい)/,
  /^(?:죄송|미안)/,
];

/** A polite sentence that may stand before it. */
const POLITE =
  /^(?:thank(?:s| you)|i (?:understand|appreciate)|hello|hi|vielen dank|danke|merci|gracias|obrigad[oa]|grazie|спасибо|感谢|感謝|谢谢|謝謝)(?![\p{L}]{2})[^.!。！\n]{0,200}[.!。！\n]\s*/u;

/** A longer text says something besides. */
const LONGEST_REFUSAL = 1_200;

/**
 * Whether a text is a refusal: it begins like one and is short. A summary that quotes one begins with
 * something else.
 */
export function isRefusal(text: string): boolean {
  const start = text
    .trim()
    .slice(0, LONGEST_REFUSAL + 1)
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/^[^\p{L}]+/u, '');
  const rest = start.replace(POLITE, '');
  return (
    start.length <= LONGEST_REFUSAL &&
    OPENINGS.some((opening) => opening.test(start) || opening.test(rest))
  );
}
