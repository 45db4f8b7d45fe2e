// The OpenAPI document of this build, so that no process has to make it: see src/api/reference/routes.ts.
import { rmSync, writeFileSync } from 'node:fs';

const file = new URL('../dist/api/reference/openapi.json', import.meta.url);
// That of an older build would be answered.
rmSync(file, { force: true });
const { startInProcess } = await import('../dist/in-process.js');
const service = await startInProcess();
const answer = await service.fetch(new Request('http://127.0.0.1/openapi.json'));
writeFileSync(file, await answer.text());
await service.stop();
