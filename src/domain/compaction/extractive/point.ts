import type { Topic } from './headings.ts';

/**
 * One list point. Points come most important first; `place` says where they stand when shown; a
 * point that is `whole` is worth nothing when it is cut.
 */
export type Point = { text: string; place: number; whole?: true };
export type Points = Map<Topic, Point[]>;
