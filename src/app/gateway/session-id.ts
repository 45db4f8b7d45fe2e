import { hashed } from './history-keys.ts';

/** An id of a session of the gateway, which tells nothing of what it was made from. */
export function sessionIdOf(key: string): string {
  return `gw-${hashed(key).slice(0, 32)}`;
}
