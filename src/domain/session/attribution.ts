import type { Attribution } from '../policy/attribution.ts';

/** Of a request that neither a tier nor a boundary led to (SPEC section 14). */
export function plainAttribution(path: Attribution['path']): Attribution {
  return { path, tier: null, percent_remaining: null, boundaries: [] };
}
