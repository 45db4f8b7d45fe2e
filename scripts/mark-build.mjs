// The time of this file is the time of the last complete build; see start.mjs.
import { chmodSync, writeFileSync } from 'node:fs';

writeFileSync(new URL('../dist/built', import.meta.url), '');
chmodSync(new URL('../dist/cli.js', import.meta.url), 0o755);
