import type { ToolCall } from '../items/item.ts';
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
/** What the ledger tells of elsewhere: files, lists, programs that run, and the agent's own notes. */
const ELSEWHERE =
  /^(?:cells?|director(?:y|ies)|dirs?|files?|folders?|goals?|lines?|memor(?:y|ies)|notebook|observations|plans?|process|shell|stdin|tasks?|terminal|text|todos?|input|keys?|agents?|teams?)$/;

const LONGEST_NAME = 60;
const LONGEST_INPUT = 200;

/** What a call of a tool changes out there, with all that it was given; null for other tools. */
export function changeBy({ name, input }: ToolCall): string | null {
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
  if (!CHANGES.has(verb) || others.length === 0 || others.some((word) => ELSEWHERE.test(word))) {
    return null;
  }
  if (!isJsonObject(input)) return null;
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
