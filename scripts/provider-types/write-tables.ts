import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fieldTable } from './field-table.ts';
import { type Definitions, requestDefinitions } from './request-schema.ts';

/** The generated files: where they lie, what they export, which of the SDKs' types they are of. */
const TABLES = [
  {
    file: 'anthropic-fields.ts',
    name: 'ANTHROPIC_FIELDS',
    of: '@anthropic-ai/sdk',
    roots: ['anthropic', 'anthropic_beta'],
  },
  {
    file: 'openai-chat-fields.ts',
    name: 'OPENAI_CHAT_FIELDS',
    of: 'openai',
    roots: ['openai_chat'],
  },
  {
    file: 'openai-responses-fields.ts',
    name: 'OPENAI_RESPONSES_FIELDS',
    of: 'openai',
    roots: ['openai_responses'],
  },
];

/** The text of every generated file, by its path. */
export function tableFiles(definitions: Definitions): Map<string, string> {
  return new Map(
    TABLES.map(({ file, name, of, roots }) => {
      const path = fileURLToPath(
        new URL(`../../src/domain/items/request-types/${file}`, import.meta.url),
      );
      const lines = fieldTable(definitions, roots);
      return [
        path,
        `// Made of the types of ${of} by \`npm run request-types\`, see \`field-table.ts\`.\n` +
          `export const ${name} = \`\n${lines.join('\n')}\n\`;\n`,
      ];
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of tableFiles(requestDefinitions())) writeFileSync(path, text);
}
