import { inject } from 'vitest';
import type {} from './servers/provided.ts';

/** How often something drawn at random is tried: in `npm test`, in `npm run test:chaos`. */
export function atScale({ short, long }: { short: number; long: number }): number {
  return inject('scale') === 'short' ? short : long;
}
