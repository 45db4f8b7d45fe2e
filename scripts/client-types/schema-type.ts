import { z } from 'zod';

/** The parts of JSON Schema that the OpenAPI document has. */
export type Schema = {
  $ref?: string | undefined;
  type?: string | string[] | undefined;
  enum?: unknown[] | undefined;
  const?: unknown;
  description?: string | undefined;
  properties?: Record<string, Schema> | undefined;
  required?: string[] | undefined;
  additionalProperties?: boolean | Schema | undefined;
  items?: Schema | undefined;
  anyOf?: Schema[] | undefined;
  oneOf?: Schema[] | undefined;
  allOf?: Schema[] | undefined;
};

export const schemaSchema: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    description: z.string().optional(),
    properties: z.record(z.string(), schemaSchema).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), schemaSchema]).optional(),
    items: schemaSchema.optional(),
    anyOf: z.array(schemaSchema).optional(),
    oneOf: z.array(schemaSchema).optional(),
    allOf: z.array(schemaSchema).optional(),
  }),
);

/** The TypeScript type of a schema; `indent` is how deep it stands. */
export function typeOf(schema: Schema, indent = 0): string {
  const { $ref } = schema;
  if ($ref !== undefined) return $ref.replace('#/components/schemas/', '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice !== undefined) return union(choice.map((one) => typeOf(one, indent)));
  if (schema.allOf !== undefined) {
    const rest = schema.properties === undefined ? [] : [objectType(schema, indent)];
    return [...schema.allOf.map((one) => typeOf(one, indent)), ...rest].join(' & ');
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return union(types.map((type) => plainType(type, schema, indent)));
}

function plainType(type: string | undefined, schema: Schema, indent: number): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `Array<${schema.items === undefined ? 'unknown' : typeOf(schema.items, indent)}>`;
    case 'object':
      return objectType(schema, indent);
    case undefined:
      return 'unknown';
    default:
      throw new Error(`there is no type for "${type}" yet`);
  }
}

function objectType(schema: Schema, indent: number): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const lines = Object.entries(properties).flatMap(([name, property]) => [
    ...comment(property.description, indent + 1),
    `${pad(indent + 1)}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(property, indent + 1)}${
      required.includes(name) ? '' : ' | undefined'
    };`,
  ]);
  const value =
    typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
  if (lines.length === 0) {
    return additionalProperties === false ? 'Record<string, never>' : `Record<string, ${value}>`;
  }
  return `{\n${lines.join('\n')}\n${pad(indent)}}`;
}

export function comment(text: string | undefined, indent: number): string[] {
  return text === undefined ? [] : [`${pad(indent)}/** ${text.replaceAll('*/', '* /')} */`];
}

function union(types: string[]): string {
  return [...new Set(types)].join(' | ');
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

function pad(indent: number): string {
  return '  '.repeat(indent);
}
