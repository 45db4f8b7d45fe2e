/** Jobs of a tenant that are handed over at once without a debt. */
const AT_ONCE = 20;
/** A debt shrinks by one job in so many milliseconds. */
const PER_JOB_MS = 1_000;
/** No debt is larger, so that it is gone within minutes: what waits for long is handed over again and again. */
const MOST = 600;

type Debt = { jobs: number; at_ms: number };

/**
 * How far each tenant is ahead of its share: by how many jobs it has had more handed over than one a second,
 * beyond a few at once. Whose debt is smaller goes first, so that thousands of compactions of one tenant keep
 * no other waiting; within a tenant nearly all go in their order. Where nobody else waits, a debt costs nothing.
 */
export class TenantDebts {
  readonly #debts = new Map<string, Debt>();
  readonly #now: () => number;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The debt with which the next job of a tenant is handed over; 0 is none. */
  next(tenant: string): number {
    const now = this.#now();
    const { jobs, at_ms } = this.#debts.get(tenant) ?? { jobs: 0, at_ms: now };
    const left = Math.max(0, jobs - (now - at_ms) / PER_JOB_MS);
    const had = Math.min(left + 1, AT_ONCE + MOST);
    this.#debts.set(tenant, { jobs: had, at_ms: now });
    return Math.max(0, Math.ceil(had - AT_ONCE));
  }
}
