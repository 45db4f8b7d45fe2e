import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { requestDefinitions } from '../../scripts/provider-types/request-schema.ts';
import { tableFiles } from '../../scripts/provider-types/write-tables.ts';

test.each([...tableFiles(requestDefinitions())])(
  '%s is what `npm run request-types` makes of the installed SDKs',
  (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text);
  },
);
