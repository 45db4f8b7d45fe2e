import { expect, it } from 'vitest';
import { z } from 'zod';
import { configSchema } from '../../src/domain/policy/config.ts';
import { unknownFieldHint } from '../../src/domain/unknown-field.ts';

const fork = z.strictObject({ at: z.int(), id: z.string(), inner: z.object({ depth: z.int() }) });

it.each<[z.ZodType, string, string]>([
  [fork, 'inne', 'did you mean "inner"?'],
  [fork, 'depth', 'it belongs inside "inner"'],
  [fork, 'version', 'there are "at", "id" and "inner"'],
  [configSchema, 'packet', 'did you mean "packet_author", "packet_max_tail_chars"'],
  [configSchema, 'colour', 'check its name or leave it out'],
  [z.strictObject({ cascade: z.boolean() }), 'twice', 'the only one is "cascade"'],
  [z.strictObject({}), 'twice', 'check its name or leave it out'],
])('says what to write in place of an unknown field (%#)', (schema, name, words) => {
  expect(unknownFieldHint(schema, [], name)).toContain(
    `there is no field "${name}" here: ${words}`,
  );
});
