import { inject } from 'vitest';
import type {} from './servers/provided.ts';
import type { Scale } from './vitest-projects.ts';

/** How often something is tried that takes long: as `Scale` says. */
export function atScale(tries: Record<Scale, number>): number {
  return tries[inject('scale')];
}
