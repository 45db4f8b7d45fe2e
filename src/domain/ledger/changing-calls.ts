import type { ToolCall, ToolResult } from '../items/item.ts';
import { resultText } from '../items/message-text.ts';
import { isJsonObject } from '../json.ts';
import { clipEnd, oneLine } from '../text.ts';
import { isLater } from './inherit.ts';
import type { Tool } from './ledger.ts';

/** With what the name of a tool begins that changes something out there: a booking, an order, an issue, a mail. */
const CHANGES: ReadonlySet<string> = new Set(
  `accept activate add approve archive assign block book buy cancel change charge close comment
  confirm create deactivate decline delete deploy disable enable enroll exchange grant insert invite
  issue merge modify move order pay place post publish purchase refund register reject release remove
  rename reply reschedule reserve reset restart resume return revoke schedule send share submit suspend
  transfer unblock unsubscribe update upsert`.split(/\s+/),
);
/** Claude Code makes a second tree of a repository so, and leaves it where it is or takes it away. */
const OF_WORKTREE = /^(?:enter|exit) worktree$/;
/** VS Code makes the folder of a project so. */
const OF_FOLDER = /^create new workspace$/;
/** What the ledger tells of elsewhere: files, lists, programs that run, and the agent's own notes. */
const ELSEWHERE =
  /^(?:cells?|director(?:y|ies)|dirs?|files?|folders?|goals?|lines?|memor(?:y|ies)|notebook|observations|plans?|process|shell|stdin|tasks?|terminal|text|todos?|input|keys?|agents?|teams?)$/;
/** Verbs that are names of things as well: `issue_read`, `order_status`, `place_details` only look. */
const IS_THING = /^(?:block|book|charge|comment|issue|order|place|post|release|return|schedule)$/;
const LOOKS =
  /^(?:count|details?|fetch|find|get|history|info|list|lookup|notes|price|prices|query|read|search|show|stats|status|view)$/;
/** What an answer says of itself that is no error for its program. */
const SAYS_FAILED =
  /^\s{0,8}\{(?=[\s\S]{0,2000}"(?:(?:success|ok)": ?false|is_?error": ?true|status": ?"(?:error|failed|failure)"))/i;
const LOOKED_AT = 3_000;

const LONGEST_NAME = 60;
const LONGEST_INPUT = 200;

/**
 * What a call of a tool changes out there, with all that it was given; null for other tools, and where the
 * result says that it has not.
 */
export function changeBy({ name, input }: ToolCall, result: ToolResult): string | null {
  // A server's name stands in front.
  const [own = ''] = name
    .slice(-200)
    .split(/__|[.:/]/)
    .slice(-1);
  const words = own
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
  const [verb = '', ...others] = words.filter((word) => word !== '');
  const whole = [verb, ...others].join(' ');
  const isChange = (CHANGES.has(verb) && !OF_FOLDER.test(whole)) || OF_WORKTREE.test(whole);
  if (!isChange || others.length === 0 || others.some((word) => ELSEWHERE.test(word))) {
    return null;
  }
  if (IS_THING.test(verb) && others.some((word) => LOOKS.test(word))) return null;
  if (!isJsonObject(input) || SAYS_FAILED.test(resultText(result).slice(0, LOOKED_AT))) return null;
  return `${clipEnd(own, LONGEST_NAME)} ${clipEnd(oneLine(JSON.stringify(input)), LONGEST_INPUT)}`;
}

/** What calls have changed out there, in their order. */
export function changesOf(tools: readonly Tool[]): string[] {
  return tools
    .flatMap(({ changed = [], ...tool }) =>
      changed.map(({ seq, text }) => ({ ...tool, last_seq: seq, text })),
    )
    .toSorted((a, b) => (isLater(a, b) ? 1 : -1))
    .map(({ text }) => text);
}
