import { INDEX_TITLE, type Topic, topicOfTitle } from './headings.ts';
import { cleaned, oneLine } from './text.ts';

/**
 * What an earlier summary hands on. `points` are its list points by topic; `prose` is what stands
 * under no known heading.
 */
export type EarlierSummary = { points: Map<Topic, string[]>; prose: string };

/** How the lines of a summary say what they are, so that the next summary can take them on. */
export const LABELS = {
  first_request: 'User, first request: ',
  latest_request: 'User, latest request: ',
  message: 'User: ',
  earlier: 'Earlier summary: ',
  tool: 'Tool ',
  subagent: 'Subagent: ',
  hook: 'Hook: ',
  project_instructions: 'Project instructions: ',
  error: 'Error in ',
  decision: 'Assistant: ',
  open_todo: 'Open: ',
  active_todo: 'In progress: ',
  done_todo: 'Done: ',
  dropped_todo: 'Dropped: ',
  plan: 'Plan: ',
  last_calls: 'Last tool calls: ',
  next_todo: 'Next todo: ',
  intention: "Assistant's last stated intention: ",
  waiting: 'No result yet: ',
} as const;

/** Characters of an earlier summary that are read: more than any budget in use. */
const LOOKED_AT = 400_000;

const LABEL_TOPICS: readonly [string, Topic][] = [
  [LABELS.first_request, 'request'],
  [LABELS.latest_request, 'messages'],
  [LABELS.message, 'messages'],
  [LABELS.tool, 'tools'],
  [LABELS.subagent, 'tools'],
  [LABELS.hook, 'tools'],
  [LABELS.project_instructions, 'concepts'],
  [LABELS.error, 'errors'],
  [LABELS.open_todo, 'todos'],
  [LABELS.active_todo, 'todos'],
  [LABELS.done_todo, 'todos'],
  [LABELS.dropped_todo, 'todos'],
  [LABELS.plan, 'todos'],
  [LABELS.last_calls, 'current'],
  [LABELS.next_todo, 'next'],
  [LABELS.intention, 'next'],
  [LABELS.waiting, 'next'],
];

/**
 * Takes an earlier summary apart by its headings and list points. It may be ours or a model's: the
 * titles are the same ones, numbered or marked as headings. The caller knows by the item's flag that
 * the text is a summary.
 */
export function parseEarlier(text: string): EarlierSummary {
  const points = new Map<Topic, string[]>();
  const prose: string[] = [];
  let topic: Topic | null = null;
  let isKnown = false;
  let inIndex = false;
  let open: string[] | null = null;
  for (const line of cleaned(text, LOOKED_AT).split('\n')) {
    const title = titleOf(line);
    const opened = title === null ? null : topicOfTitle(title);
    if (title?.toLowerCase() === INDEX_TITLE.toLowerCase()) inIndex = true;
    else if (opened !== null) {
      topic = opened;
      isKnown = true;
      inIndex = false;
      open = null;
    } else if (!inIndex && line.trim() !== '') {
      if (topic === null) prose.push(line);
      else open = addLine(points, topic, open, line);
    }
  }
  // Before the first heading there is only the note that a summary follows.
  return { points, prose: isKnown ? '' : prose.join('\n') };
}

/** Adds a line to the points of its topic; gives the list that a line continuing it belongs to. */
function addLine(
  points: Map<Topic, string[]>,
  topic: Topic,
  open: string[] | null,
  line: string,
): string[] {
  const match = /^\s{0,3}(?:[-*]|\d{1,3}\.)\s+(\S.*)$/.exec(line);
  if (match === null && open !== null && /^\s/.test(line)) {
    open.push(`${open.pop() ?? ''}\n${oneLine(line)}`);
    return open;
  }
  const text = match?.[1] ?? oneLine(line);
  const own = labelTopic(text, topic) ?? topic;
  const list = points.get(own) ?? [];
  list.push(text);
  points.set(own, list);
  return list;
}

/** Headings of short templates hold several topics: there the label tells which one it is. */
function labelTopic(point: string, topic: Topic): Topic | undefined {
  if (point.startsWith(LABELS.decision)) return topic === 'current' ? 'current' : 'decisions';
  return LABEL_TOPICS.find(([label]) => point.startsWith(label))?.[1];
}

/** `## Files`, `2. Files:`, `**Files**` → `Files`; null for other lines. */
function titleOf(line: string): string | null {
  const match = /^(?:#{1,4}\s+|\d{1,2}\.\s+|\*\*)([A-Z][A-Za-z ]{2,40})(?:\*\*)?:?(?:\*\*)?$/.exec(
    line,
  );
  return match?.[1]?.trim() ?? null;
}
