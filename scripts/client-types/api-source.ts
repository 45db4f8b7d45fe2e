import { z } from 'zod';
import { comment, type Schema, schemaSchema, typeOf } from './schema-type.ts';

const content = z.record(z.string(), z.looseObject({ schema: schemaSchema.optional() }));
const operationSchema = z.looseObject({
  operationId: z.string(),
  summary: z.string().optional(),
  parameters: z
    .array(
      z.looseObject({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        required: z.boolean().default(false),
        description: z.string().optional(),
        schema: schemaSchema,
      }),
    )
    .default([]),
  requestBody: z.looseObject({ required: z.boolean().default(false), content }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: content.optional() })),
});

export const documentSchema = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.looseObject({ schemas: z.record(z.string(), schemaSchema) }),
});

type Operation = z.infer<typeof operationSchema>;

/** Items are whatever a provider takes, and their types differ: any object. */
const ITEMS = new Set(['Item', 'ResponseInputItem']);

const LINES = 'application/x-ndjson';
const HEAD = `// Written by "npm run client-types" from the OpenAPI document: change the schemas of src/api.
`;

/** The source of src/client/generated.ts: types of all schemas, and how each operation is called. */
export function apiSource(document: unknown, problemCodes: readonly string[]): string {
  const { paths, components } = documentSchema.parse(document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const types = Object.entries(components.schemas).map(([name, schema]) => {
    const type = ITEMS.has(name)
      ? 'object'
      : (partialType(schema, components.schemas) ?? typeOf(schema));
    const lines = [...comment(schema.description, 0), `export type ${name} = ${type};`];
    return `${lines.join('\n')}\n`;
  });
  const calls = operations.flatMap(({ operation }) => [
    ...comment(operation.summary, 1),
    `  ${operation.operationId}: {\n    args: ${argsOf(operation)};\n    answer: ${answerOf(operation)};\n  };`,
  ]);
  const table = operations.map(({ path, method, operation }) => {
    const query = operation.parameters.filter((one) => one.in === 'query').map((one) => one.name);
    const facts = [
      `method: '${method.toUpperCase()}'`,
      `path: '${path}'`,
      `query: ${list(query)}`,
      `isRepeatable: ${operation.parameters.some(({ name }) => name === 'idempotency-key')}`,
      `answersLines: ${isLines(operation)}`,
    ];
    return `  ${operation.operationId}: { ${facts.join(', ')} },`;
  });
  return [
    HEAD,
    ...types,
    '/** What a problem is about: branch on it. */',
    `export type ProblemCode =\n${problemCodes.map((code) => `  | '${code}'`).join('\n')};\n`,
    '/** What each operation takes and answers. */',
    `export type Operations = {\n${calls.join('\n')}\n};\n`,
    '/** How each is called; `isRepeatable`: it takes an idempotency key. */',
    `export const OPERATIONS = {\n${table.join('\n')}\n} as const;\n`,
  ].join('\n');
}

/** The type of a schema that has the fields of another one, none of which it asks for; null for others. */
function partialType(schema: Schema, schemas: Readonly<Record<string, Schema>>): string | null {
  if (schema.properties === undefined || (schema.required ?? []).length > 0) return null;
  const fields = JSON.stringify(schema.properties);
  const whole = Object.entries(schemas).find(([, other]) => {
    return (other.required ?? []).length > 0 && JSON.stringify(other.properties) === fields;
  });
  if (whole === undefined) return null;
  const [name] = whole;
  return `{ [Field in keyof ${name}]?: ${name}[Field] | undefined }`;
}

function argsOf({ parameters, requestBody }: Operation): string {
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const { in: place, name, schema, description, required: isNeeded } of parameters) {
    if (place === 'header') continue;
    properties[name] = { ...schema, description: description ?? schema.description };
    if (isNeeded) required.push(name);
  }
  const body = requestBody?.content['application/json']?.schema;
  if (body !== undefined) {
    properties.body = body;
    if (requestBody?.required) required.push('body');
  }
  if (Object.keys(properties).length === 0) return 'Record<never, never>';
  return typeOf({ type: 'object', properties, required }, 2);
}

function answerOf(operation: Operation): string {
  const answers = successes(operation).flatMap(
    ({ content: types = {} }) => types['application/json']?.schema ?? types[LINES]?.schema ?? [],
  );
  return answers.length === 0 ? 'undefined' : typeOf({ anyOf: answers }, 2);
}

function isLines(operation: Operation): boolean {
  return successes(operation).some(({ content: types = {} }) => LINES in types);
}

function successes({ responses }: Operation) {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => response);
}

function list(names: readonly string[]): string {
  return `[${names.map((name) => `'${name}'`).join(', ')}]`;
}
