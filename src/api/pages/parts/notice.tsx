import { z } from '@hono/zod-openapi';

/** What was just done, by the name that stands in the address: nobody can put words of their own there. */
const DONE = {
  imported: 'The transcript is imported: this is its session.',
  requested: 'A compaction is under way. This page follows it.',
  proposed: 'A proposal is being made. Nothing changes before you apply it.',
  applied: 'The proposal is applied: the context is the new one from now on.',
  discarded: 'The proposal is discarded. Nothing was changed.',
  reverted: 'The compaction is undone: the context is what it would be without it.',
  cancelled: 'The compaction is cancelled.',
  restored: 'This session was in the archive. Opening it has brought it back, all of it.',
  pinned: 'It is pinned: it stands word for word in every context from now on.',
  unpinned: 'It is pinned no more.',
  forked: 'This is the fork: it begins with the context of its parent.',
} as const;
export type Done = keyof typeof DONE;

export const noticeQuery = {
  // Object.keys forgets what the keys are.
  done: z.enum(Object.keys(DONE) as [Done, ...Done[]]).optional(),
};

export function Notice({ done }: { done: string | undefined }) {
  const text = Object.entries(DONE).find(([name]) => name === done)?.[1];
  return text === undefined ? null : (
    <p class="notice good" role="status">
      {text}
    </p>
  );
}
