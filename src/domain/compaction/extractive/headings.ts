import type { SummaryTemplate } from '../prompt.ts';

/** What a summary tells, whatever heading it stands under. */
export const TOPICS = [
  'first',
  'latest',
  'constraints',
  'changed',
  'messages',
  'files',
  'errors',
  'todos',
  'next',
  'current',
  'epochs',
  'decisions',
  'runs',
  'exact',
] as const;
export type Topic = (typeof TOPICS)[number];

type Heading = { title: string; topics: readonly Topic[] };

/** The sections of each template (SPEC section 10). */
export const HEADINGS: Record<SummaryTemplate, readonly Heading[]> = {
  'nine-sections': [
    { title: 'Primary request and intent', topics: ['first', 'constraints', 'latest'] },
    { title: 'Key technical concepts', topics: ['exact'] },
    { title: 'Files and code sections', topics: ['files'] },
    { title: 'Errors and fixes', topics: ['errors'] },
    { title: 'Problem solving', topics: ['epochs', 'decisions', 'changed', 'runs'] },
    { title: 'All user messages', topics: ['messages'] },
    { title: 'Pending tasks', topics: ['todos'] },
    { title: 'Current work', topics: ['current'] },
    { title: 'Optional next step', topics: ['next'] },
  ],
  'seven-sections': [
    { title: 'Task state', topics: ['first', 'latest', 'todos', 'current'] },
    { title: 'Files', topics: ['files'] },
    { title: 'Tool history', topics: ['epochs', 'changed', 'runs'] },
    { title: 'Errors', topics: ['errors'] },
    { title: 'Decisions', topics: ['decisions', 'exact'] },
    { title: 'User guidance', topics: ['constraints', 'messages'] },
    { title: 'Next steps', topics: ['next'] },
  ],
  handoff: [
    { title: 'Task', topics: ['first', 'constraints', 'latest'] },
    { title: 'What the user said', topics: ['messages'] },
    { title: 'Progress', topics: ['epochs', 'decisions', 'changed', 'runs', 'errors', 'current'] },
    { title: 'Relevant files', topics: ['files', 'exact'] },
    { title: 'What remains', topics: ['todos', 'next'] },
  ],
};

/** The heading of the index of names, the last section of every template. */
export const INDEX_TITLE = 'Names';
