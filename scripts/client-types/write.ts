import { writeFileSync } from 'node:fs';
import { currentSource } from './current-source.ts';

// `npm run client-types`: after a change of the schemas of src/api.
writeFileSync(new URL('../../src/client/generated.ts', import.meta.url), await currentSource());
