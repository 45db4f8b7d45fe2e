import { readSettings } from '../config.ts';
import { openSqliteStore } from '../db/sqlite/sqlite-store.ts';

/** Checks the local store; prints one line per problem. Answers whether everything matched. */
export async function verifyCommand(): Promise<boolean> {
  const settings = readSettings(process.env);
  const store = await openSqliteStore({ path: settings.database_path });
  try {
    const report = await store.verify();
    for (const problem of report.problems) console.log(problem);
    const verdict = report.problems.length === 0 ? 'ok' : `${report.problems.length} problems`;
    console.log(`${report.sessions} sessions, ${report.events} events: ${verdict}`);
    return report.problems.length === 0;
  } finally {
    await store.close();
  }
}
