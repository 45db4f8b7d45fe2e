import { type Log, type Statement, tellingStart, type Untrue } from './statement.ts';

const OF_USER =
  /^(?:the )?(?:user|human)(?:$|,| said| asked| wrote| wants| requested|'s (?:words|request|message))/i;
const USER_HEADING =
  /\buser(?:'s)? (?:messages|guidance|requests|instructions|words)\b|\bmessages of the user\b/i;

/** Words that a summary gives to the user and that somebody else said. */
export function wrongVoices(statements: readonly Statement[], { of_user, of_all }: Log): Untrue[] {
  return statements.flatMap(({ heading, label, rest, text }): Untrue[] => {
    const isUsers = OF_USER.test(label) || (label === '' && USER_HEADING.test(heading));
    if (!isUsers) return [];
    const start = tellingStart(rest, 60, 20);
    if (start === '' || of_user.includes(start) || !of_all.includes(start)) return [];
    return [{ lie: 'wrong_voice', text, why: 'somebody else said it' }];
  });
}
