import { verifySearch } from '../app/search/verify-search.ts';
import { openExistingStore } from './existing-store.ts';
import { quantity } from './quantity.ts';

/**
 * Checks the store, or rebuilds heads and projections from the events first; prints one line
 * per problem. Answers whether everything matched.
 */
export async function verifyCommand(options: { rebuild?: boolean }): Promise<boolean> {
  const store = await openExistingStore();
  try {
    const report = options.rebuild ? await store.rebuild() : await store.verify();
    for await (const problem of verifySearch(store)) report.problems.push(problem);
    for (const problem of report.problems) console.log(problem);
    const verdict =
      report.problems.length === 0 ? 'ok' : quantity(report.problems.length, 'problem');
    console.log(
      `${quantity(report.sessions, 'session')}, ${quantity(report.events, 'event')}: ${verdict}`,
    );
    return report.problems.length === 0;
  } finally {
    await store.close();
  }
}
