import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MODULE = fileURLToPath(new URL('../../dist/cli/new-space.js', import.meta.url));

/** In a process of its own: the flags are those of the whole process. */
const SCRIPT = `
import { getHeapSpaceStatistics } from 'node:v8';
import { holdNewSpace, releaseNewSpace } from ${JSON.stringify(MODULE)};
const kept = [];
function megabytesAfterWork() {
  for (let i = 0; i < 3e6; i++) {
    kept.push({ i });
    if (kept.length > 3e5) kept.length = 0;
  }
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return space.space_size / 1024 / 1024;
}
holdNewSpace();
const held = megabytesAfterWork();
releaseNewSpace();
console.log(JSON.stringify({ held, released: megabytesAfterWork() }));
`;

it('new objects get no more room while it is held, and more afterwards', () => {
  const options = { encoding: 'utf8' } as const;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT], options);
  const { held, released } = JSON.parse(said) as { held: number; released: number };
  expect(held).toBeLessThanOrEqual(4);
  expect(released).toBeGreaterThanOrEqual(4 * held);
});
