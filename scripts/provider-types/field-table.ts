import type { Definitions, Schema } from './request-schema.ts';

/** Tool definitions are the client's own and no part of what models and tools answer. */
const NOT_LOOKED_INTO = /^(Beta)?(Tool|ToolUnion)$/;
const DISCRIMINATORS = ['type', 'role'];

type Row = { tags: Map<string, Set<string>>; fields: Map<string, Field> };
type Field = { refusesNull: boolean; of: Set<string> };

/**
 * The request types below some roots as one line per type: its name, what tells it from others
 * (`type=text`), then its fields: `!` after a field that refuses null, `=` and the types that its
 * value, or its entries, may have. Types of the beta API are joined with those of the same name.
 */
export function fieldTable(definitions: Definitions, roots: readonly string[]): string[] {
  const rows = new Map<string, Row>();
  const first = new Set<string>();
  const waiting: string[] = [];
  const properties = definitions.RequestRoots?.properties ?? {};
  for (const root of roots) {
    for (const name of objectsOf(properties[root] ?? {}, definitions)) {
      first.add(plainName(name));
      waiting.push(name);
    }
  }
  const seen = new Set<string>();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    waiting.push(...addRow(rows, name, definitions));
  }
  const lines = [...rows].map(([name, row]) => lineOf(name, row)).sort();
  return [`roots: ${[...first].sort().join(' ')}`, ...lines];
}

/** Joins a type into the table; gives the types that its fields lead to. */
function addRow(rows: Map<string, Row>, name: string, definitions: Definitions): string[] {
  const definition = definitions[name] ?? {};
  const row = rows.get(plainName(name)) ?? { tags: new Map(), fields: new Map() };
  rows.set(plainName(name), row);
  const next: string[] = [];
  for (const [field, schema] of Object.entries(definition.properties ?? {})) {
    const values = constantsOf(schema);
    if (DISCRIMINATORS.includes(field) && values.length > 0) {
      const tags = row.tags.get(field) ?? new Set();
      for (const value of values) tags.add(value);
      row.tags.set(field, tags);
    }
    const found = objectsOf(schema, definitions);
    const known = row.fields.get(field) ?? { refusesNull: true, of: new Set() };
    const isRequired = definition.required?.includes(field) ?? false;
    // A required field stays as it is, whatever it holds.
    if (isRequired || allowsNull(schema, definitions)) known.refusesNull = false;
    for (const other of found) known.of.add(plainName(other));
    row.fields.set(field, known);
    next.push(...found);
  }
  return next;
}

function lineOf(name: string, { tags, fields }: Row): string {
  const told = [...tags].map(([field, values]) => `${field}=${[...values].sort().join('|')}`);
  const listed = [...fields].map(([field, { refusesNull, of }]) => {
    const types = of.size === 0 ? '' : `=${[...of].sort().join('|')}`;
    return `${field}${refusesNull ? '!' : ''}${types}`;
  });
  return [`${name}${told.map((tag) => ` ${tag}`).join('')}:`, ...listed.sort()].join(' ');
}

function plainName(name: string): string {
  return name.replace(/^Beta/, '');
}

/** The object types with named fields that a value of this schema, or an entry of it, may be. */
function objectsOf(schema: Schema, definitions: Definitions, name?: string): string[] {
  const target = schema.$ref?.replace('#/definitions/', '');
  if (target !== undefined) {
    const plain = decodeURIComponent(target);
    if (NOT_LOOKED_INTO.test(plain)) return [];
    return objectsOf(definitions[plain] ?? {}, definitions, plain);
  }
  if (schema.anyOf) return schema.anyOf.flatMap((one) => objectsOf(one, definitions));
  if (schema.items) return objectsOf(schema.items, definitions);
  return schema.properties && name !== undefined ? [name] : [];
}

function constantsOf(schema: Schema): string[] {
  if (schema.const !== undefined) return [schema.const];
  return (schema.enum ?? []).filter((value) => value !== null);
}

/** Whether null is among the values; an unconstrained value may be anything. */
function allowsNull(schema: Schema, definitions: Definitions): boolean {
  const target = schema.$ref?.replace('#/definitions/', '');
  if (target !== undefined)
    return allowsNull(definitions[decodeURIComponent(target)] ?? {}, definitions);
  if (schema.anyOf) return schema.anyOf.some((one) => allowsNull(one, definitions));
  if (schema.type === undefined) return schema.const === undefined && schema.enum === undefined;
  return [schema.type].flat().includes('null');
}
