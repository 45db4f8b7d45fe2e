import { PROBLEM_KINDS } from '../../src/api/http/problem.ts';
import { readSettings } from '../../src/config.ts';
import { startService } from '../../src/service.ts';
import { apiSource } from './api-source.ts';

/** What src/client/generated.ts should hold now. */
export async function currentSource(): Promise<string> {
  const environment = { DATABASE_URL: 'file::memory:', LOG_LEVEL: 'silent' };
  const service = await startService(readSettings(environment), environment);
  try {
    const answer = await service.fetch(new Request('http://127.0.0.1/openapi.json'));
    return apiSource(await answer.json(), Object.keys(PROBLEM_KINDS));
  } finally {
    await service.stop();
  }
}
