/** What clients have done so far; lets a test wait for the next of it instead of for a time. */
export type Deed =
  | 'sent'
  | 'acknowledged'
  | 'refused'
  | 'unavailable'
  | 'cut_off'
  | 'compaction'
  | 'context';

export class Tally {
  readonly #counts: Record<Deed, number> = {
    sent: 0,
    acknowledged: 0,
    refused: 0,
    unavailable: 0,
    cut_off: 0,
    compaction: 0,
    context: 0,
  };
  #waiters: { deed: Deed; count: number; resolve: () => void }[] = [];

  add(deed: Deed): void {
    this.#counts[deed] += 1;
    for (const waiter of this.#waiters) if (this.#isReached(waiter)) waiter.resolve();
    this.#waiters = this.#waiters.filter((waiter) => !this.#isReached(waiter));
  }

  count(deed: Deed): number {
    return this.#counts[deed];
  }

  /** Resolves when this has happened so many times more. */
  async more(deed: Deed, times: number): Promise<void> {
    const count = this.#counts[deed] + times;
    await new Promise<void>((resolve) => this.#waiters.push({ deed, count, resolve }));
  }

  #isReached({ deed, count }: { deed: Deed; count: number }): boolean {
    return this.#counts[deed] >= count;
  }
}
