import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import {
  type Definitions,
  requestDefinitions,
  type Schema,
} from '../../../scripts/provider-types/request-schema.ts';
import { LENIENCES } from './leniences.ts';

export type WireFormat = 'anthropic' | 'openai-chat' | 'openai-responses' | 'ai-sdk';
type Json = Record<string, unknown>;

/** The types of a conversation's entries: an entry has to be of one of them. */
const ROOTS: Readonly<Record<Exclude<WireFormat, 'ai-sdk'>, readonly string[]>> = {
  anthropic: ['MessageParam', 'BetaMessageParam'],
  'openai-chat': ['ChatCompletionMessageParam'],
  'openai-responses': ['ResponseInputItem'],
};
const MOST_ERRORS = 3;

/**
 * What the request types of the provider's own SDK (`openai`, `@anthropic-ai/sdk`, their TypeScript
 * made JSON Schema, no unknown fields) say against the entries of a context, one sentence each; empty
 * when every entry is one that the SDK would let a client send.
 */
export function typeProblems(format: WireFormat, context: readonly unknown[]): string[] {
  // Its own schema is one of the rules (`aiSdkProblems`).
  if (format === 'ai-sdk') return [];
  const { definitions, validators } = schemas();
  const types = ROOTS[format].flatMap((root) => alternatives(root, definitions));
  return context.flatMap((entry, index) => {
    const key = `${format} ${JSON.stringify(entry)}`;
    const known = judged.get(key) ?? entryProblems(entry, types, definitions, validators);
    judged.set(key, known);
    return known.map((problem) => `${index}: ${problem}`);
  });
}

/** What was said of an entry: contexts of one session share most of theirs. */
const judged = new LRUCache<string, string[]>({ max: 5_000 });

function entryProblems(
  entry: unknown,
  types: readonly string[],
  definitions: Definitions,
  validators: (name: string) => ValidateFunction,
): string[] {
  if (!isObject(entry)) return ['is no object'];
  const candidates = types.filter((name) => hasTags(entry, definitions[name] ?? {}));
  if (candidates.length === 0) {
    return [`no type has role ${String(entry.role)} and type ${String(entry.type)}`];
  }
  let fewest: ErrorObject[] | undefined;
  for (const name of candidates) {
    const validate = validators(name);
    if (validate(entry)) return [];
    const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
    if (fewest === undefined || errors.length < fewest.length) fewest = errors;
  }
  return telling(fewest ?? [])
    .slice(0, MOST_ERRORS)
    .map(sentence);
}

/** Without what only says that none of several choices fits, where another error says why. */
function telling(errors: readonly ErrorObject[]): ErrorObject[] {
  return errors.filter((error) => {
    if (error.keyword !== 'type' && error.keyword !== 'anyOf') return true;
    return !errors.some(
      (other) =>
        other.instancePath.startsWith(`${error.instancePath}/`) ||
        (other.instancePath === error.instancePath &&
          other !== error &&
          (error.keyword === 'anyOf' || other.keyword === 'additionalProperties')),
    );
  });
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  const extra = 'additionalProperty' in params ? ` ("${String(params.additionalProperty)}")` : '';
  return `${instancePath || '/'} ${message ?? 'is wrong'}${extra}`;
}

let cached:
  | { definitions: Definitions; validators: (name: string) => ValidateFunction }
  | undefined;

function schemas() {
  if (cached !== undefined) return cached;
  const definitions = structuredClone(requestDefinitions());
  for (const { type, mayLack = [], mayHave = [] } of LENIENCES) {
    const definition = definitions[type];
    if (definition === undefined) throw new Error(`the SDKs have no type ${type} any more`);
    definition.required = (definition.required ?? []).filter((field) => !mayLack.includes(field));
    for (const field of mayHave) definition.properties = { ...definition.properties, [field]: {} };
  }
  const readable = Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [name, byTag(schema, definitions)]),
  );
  const ajv = new Ajv({ allErrors: true, strict: false });
  ajv.addSchema({ $id: 'requests', definitions: readable });
  const compiled = new Map<string, ValidateFunction>();
  const validators = (name: string) => {
    const known =
      compiled.get(name) ?? ajv.getSchema(`requests#/definitions/${encodeURIComponent(name)}`);
    if (known === undefined) throw new Error(`no schema for ${name}`);
    compiled.set(name, known as ValidateFunction);
    return known as ValidateFunction;
  };
  cached = { definitions, validators };
  return cached;
}

/**
 * A choice among object types told apart by `type` as one rule per value of `type`: so an error says
 * what is wrong with the block, and not that it is none of thirty others.
 */
function byTag(schema: Schema, definitions: Definitions): Schema {
  const inner: Schema = { ...schema };
  if (schema.items) inner.items = byTag(schema.items, definitions);
  if (schema.properties) {
    inner.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([field, one]) => [field, byTag(one, definitions)]),
    );
  }
  if (schema.anyOf === undefined) return inner;
  const choices = schema.anyOf.flatMap((one) => flattened(one, definitions));
  const tagged = choices.filter((one) => tagOf(one, definitions) !== undefined);
  const others = choices.filter((one) => tagOf(one, definitions) === undefined);
  const hasUntagged = others.some((one) => resolved(one, definitions).properties !== undefined);
  if (tagged.length < 2 || hasUntagged) {
    return { ...inner, anyOf: choices.map((one) => byTag(one, definitions)) };
  }
  const values = [...new Set(tagged.map((one) => tagOf(one, definitions) ?? ''))];
  const isBlock = { type: 'object', required: ['type'], properties: { type: { enum: values } } };
  const rules = values.map((value) => ({
    if: { type: 'object', required: ['type'], properties: { type: { const: value } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { anyOf: tagged.filter((one) => tagOf(one, definitions) === value) },
  }));
  const { anyOf: _, ...rest } = inner;
  const all = { anyOf: [...others.map((one) => byTag(one, definitions)), isBlock], allOf: rules };
  return { ...rest, ...all } as Schema;
}

/** The object types that a type stands for, by name. */
function alternatives(name: string, definitions: Definitions): string[] {
  const definition = definitions[name];
  if (definition?.anyOf === undefined) return [name];
  return definition.anyOf.flatMap((one) =>
    one.$ref === undefined ? [] : alternatives(refName(one.$ref), definitions),
  );
}

function flattened(schema: Schema, definitions: Definitions): Schema[] {
  const target = schema.$ref === undefined ? schema : definitions[refName(schema.$ref)];
  if (target?.anyOf === undefined) return [schema];
  return target.anyOf.flatMap((one) => flattened(one, definitions));
}

function resolved(schema: Schema, definitions: Definitions): Schema {
  return schema.$ref === undefined ? schema : (definitions[refName(schema.$ref)] ?? {});
}

function tagOf(schema: Schema, definitions: Definitions): string | undefined {
  return resolved(schema, definitions).properties?.type?.const;
}

function refName(ref: string): string {
  return decodeURIComponent(ref.replace('#/definitions/', ''));
}

/** Whether the entry's `role` and `type` are those of the type; an optional one may be absent. */
function hasTags(entry: Json, definition: Schema): boolean {
  return ['role', 'type'].every((field) => {
    const schema = definition.properties?.[field];
    const allowed = schema?.const === undefined ? schema?.enum : [schema.const];
    if (allowed === undefined) return true;
    if (entry[field] === undefined) return !definition.required?.includes(field);
    return allowed.some((value) => value === entry[field]);
  });
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
