import type { TestServer } from './test-server.ts';

/** A place that a server may come from. `start` throws an Error that says why it cannot. */
export type Source = { name: string; start: () => Promise<TestServer> };

/** The first source that works. Throws an Error that lists every reason and what to install. */
export async function firstThatStarts(
  wanted: string,
  sources: Source[],
  advice: string,
): Promise<TestServer> {
  const reasons: string[] = [];
  for (const { name, start } of sources) {
    try {
      return await start();
    } catch (error) {
      reasons.push(`  ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(`no ${wanted} for the tests. Tried:\n${reasons.join('\n')}\n${advice}`);
}
