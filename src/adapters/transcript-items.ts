import { isRecord } from './content.ts';

/** A line of a transcript of Claude Code, as the SDK hands it over: anything that JSON can say. */
export type Entry = { type: string; uuid?: string; [field: string]: unknown };

/** What a session says of the transcript that it holds; `main` is the session of the main one. */
export type Mark = { project: string; session: string; main?: string; subpath?: string };

/** What its author says, where the entry is a message of the conversation. */
type Said = { role: string; content: unknown } & Record<string, unknown>;

/** Of a message of the transcript, and of our log: the one and the other name. */
const FLAGS = {
  isMeta: 'is_meta',
  isVisibleInTranscriptOnly: 'is_visible_in_transcript_only',
  isApiErrorMessage: 'is_api_error_message',
} as const;

/**
 * Entries as items: an item of no role that holds all lines, and behind it the messages among them, which
 * `shown` counts from 0, as everybody else reads them. Their content stands there only.
 */
export function itemsOf(entries: readonly Entry[], { isShown = true } = {}): object[] {
  const shown: number[] = [];
  const messages: object[] = [];
  const transcript = entries.map((entry, index) => {
    const said = isShown ? saidIn(entry) : null;
    if (said === null) return entry;
    shown.push(index);
    messages.push(messageOf(entry, said));
    return { ...entry, message: { ...said, content: null } };
  });
  return [{ type: 'progress', transcript, shown }, ...messages];
}

/** The entries of a log, deep-equal to what was handed over. What others have put between is left out. */
export async function entriesOf(
  log: AsyncIterable<{ item: Record<string, unknown> }>,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  let awaited: unknown[] = [];
  for await (const { item } of log) {
    const { type, transcript, shown, content } = item;
    if (type === 'progress' && Array.isArray(transcript) && Array.isArray(shown)) {
      entries.push(...transcript);
      awaited = shown.map((index) => transcript[index]);
      continue;
    }
    const entry = awaited.shift();
    if (isRecord(entry) && isRecord(entry.message)) entry.message.content = content;
  }
  return entries;
}

/** Summaries of Claude Code repeat what the log has anyway: they are lines, and no messages. */
function saidIn({ type, message, isCompactSummary }: Entry): Said | null {
  if ((type !== 'user' && type !== 'assistant') || isCompactSummary === true) return null;
  if (!isRecord(message) || message.role !== type) return null;
  const { content } = message;
  const isSaid = typeof content === 'string' || Array.isArray(content);
  return isSaid && content.length > 0 ? { ...message, role: type, content } : null;
}

function messageOf(entry: Entry, { role, content, id, model }: Said): object {
  const { timestamp, agentId, isSidechain } = entry;
  const flags = Object.entries(FLAGS).flatMap(([theirs, ours]) =>
    entry[theirs] === true ? [[ours, true]] : [],
  );
  return {
    role,
    content,
    ...(typeof id === 'string' && { id }),
    ...(typeof model === 'string' && { model }),
    ...(typeof timestamp === 'string' && { timestamp }),
    // In a transcript of its own an agent speaks for itself.
    ...(typeof agentId === 'string' && isSidechain !== true && { agent_id: agentId }),
    ...Object.fromEntries(flags),
  };
}

/** The mark in the metadata of a session; null where it holds no transcript. */
export function markIn({ transcript }: Record<string, unknown>): Mark | null {
  if (!isRecord(transcript)) return null;
  const { project, session, main, subpath } = transcript;
  if (typeof project !== 'string' || typeof session !== 'string') return null;
  const isSubagent = typeof main === 'string' && typeof subpath === 'string';
  return { project, session, ...(isSubagent && { main, subpath }) };
}
