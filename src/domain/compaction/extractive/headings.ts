import type { SummaryTemplate } from '../prompt.ts';

/** What a summary tells, whatever heading it stands under. */
export type Topic =
  | 'request'
  | 'concepts'
  | 'files'
  | 'errors'
  | 'decisions'
  | 'tools'
  | 'messages'
  | 'todos'
  | 'current'
  | 'next';

type Heading = { title: string; topics: readonly Topic[] };

/** The sections of each template (SPEC section 10). */
export const HEADINGS: Record<SummaryTemplate, readonly Heading[]> = {
  'nine-sections': [
    { title: 'Primary request and intent', topics: ['request'] },
    { title: 'Key technical concepts', topics: ['concepts'] },
    { title: 'Files and code sections', topics: ['files'] },
    { title: 'Errors and fixes', topics: ['errors'] },
    { title: 'Problem solving', topics: ['decisions', 'tools'] },
    { title: 'All user messages', topics: ['messages'] },
    { title: 'Pending tasks', topics: ['todos'] },
    { title: 'Current work', topics: ['current'] },
    { title: 'Optional next step', topics: ['next'] },
  ],
  'seven-sections': [
    { title: 'Task state', topics: ['request', 'concepts', 'todos', 'current'] },
    { title: 'Files', topics: ['files'] },
    { title: 'Tool history', topics: ['tools'] },
    { title: 'Errors', topics: ['errors'] },
    { title: 'Decisions', topics: ['decisions'] },
    { title: 'User guidance', topics: ['messages'] },
    { title: 'Next steps', topics: ['next'] },
  ],
  handoff: [
    { title: 'Task', topics: ['request', 'concepts', 'messages'] },
    { title: 'Progress', topics: ['decisions', 'tools', 'errors', 'current'] },
    { title: 'Relevant files', topics: ['files'] },
    { title: 'What remains', topics: ['todos', 'next'] },
  ],
};

/** The heading of the index of names, the last section of every template. */
export const INDEX_TITLE = 'Names';

const TOPIC_OF_TITLE = new Map<string, Topic>(
  Object.values(HEADINGS).flatMap((headings) =>
    headings.flatMap(({ title, topics }) => (topics[0] ? [[title.toLowerCase(), topics[0]]] : [])),
  ),
);

/** The topic that a heading of an earlier summary opens; null when the title is not one of ours. */
export function topicOfTitle(title: string): Topic | null {
  return TOPIC_OF_TITLE.get(title.toLowerCase()) ?? null;
}
