import { isJsonObject } from '../json.ts';
import { parseInside } from '../json-text.ts';
import type { Utterance } from './item.ts';
import { skipSpace, type TagPlace, type TagPlaces } from './tag-places.ts';

/** The tag in which Claude Code hands one agent of a team what another has sent it. */
export const TEAM_TAG = 'teammate-message';

/** The name that Claude Code gives the session that has made the team: it is the one that sets the tasks. */
const OF_LEAD = /^<teammate-message\s+teammate_id="team-lead"/i;
/** Stands in the tag of what an agent has written itself, which may look like a program's words. */
const BY_AGENT = /\ssummary="/i;
/** No program hands over more at once; what comes after them is one report. */
const MOST_MESSAGES = 1_000;

/**
 * What agents of a team say in a text from `at` to `end`, where such a message opens. The lead asks its
 * teammates for work as a user does; the others report. Once another has reported nothing is taken for the
 * lead's: a report may write down any tag. What programs tell each other as JSON is nobody's report.
 */
export function teamMessages(
  text: string,
  at: number,
  end: number,
  places: TagPlaces,
): Utterance[] {
  const said: Utterance[] = [];
  let isUnbroken = true;
  let from = at;
  for (let count = 0; from < end; count++) {
    const open = places.at(from);
    const close = open === null || count >= MOST_MESSAGES ? null : closingOf(open, places);
    const next = close === null ? from : skipSpace(text, close.end);
    const isLast = next >= end;
    if (open === null || close === null || close.end > end || !(isLast || opens(places, next))) {
      said.push({ speaker: 'subagent', text: text.slice(from, end) });
      break;
    }
    const one = messageSaid(
      text,
      open,
      close,
      isUnbroken && OF_LEAD.test(text.slice(from, open.end)),
    );
    isUnbroken &&= one.speaker !== 'subagent';
    said.push(one);
    from = next;
  }
  return said.filter((one) => one.text !== '');
}

function messageSaid(text: string, open: TagPlace, close: TagPlace, isLead: boolean): Utterance {
  const words = text.slice(open.end, close.at).trim();
  const json = words.startsWith('{') ? parseInside(words) : undefined;
  const whole = text.slice(open.at, close.end);
  const isByAgent = BY_AGENT.test(text.slice(open.at, open.end));
  const isProtocol = !isByAgent && isJsonObject(json) && typeof json.type === 'string';
  const isTask = isProtocol && json.type === 'task_assignment';
  if (isProtocol && !(isLead && isTask)) return { speaker: 'program', text: whole };
  return isLead ? { speaker: 'user', text: words } : { speaker: 'subagent', text: whole };
}

function closingOf(open: TagPlace, places: TagPlaces): TagPlace | null {
  return open.name === TEAM_TAG && !open.isClosing ? places.closing(open) : null;
}

function opens(places: TagPlaces, at: number): boolean {
  const place = places.at(at);
  return place?.name === TEAM_TAG && !place.isClosing;
}
