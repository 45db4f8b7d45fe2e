import type { Topic } from './headings.ts';

/** One list point. Points come most important first; `place` says where they stand when shown. */
export type Point = { text: string; place: number };
export type Points = Map<Topic, Point[]>;
