import { isJsonObject, type Json, type JsonObject } from '../../json.ts';

/** A field that a request type has: whether null is refused there, and the types of its values. */
type Field = { refusesNull: boolean; types: readonly string[] };
type RequestType = {
  /** The values of `type` and `role` by which the type is known. */
  tags: readonly (readonly [field: string, values: ReadonlySet<string>])[];
  fields: ReadonlyMap<string, Field>;
};

/** The request types of one API, read from a generated table. */
type RequestTypes = { roots: readonly string[]; byName: ReadonlyMap<string, RequestType> };

/** Fields beyond a provider's own types that servers of that format take, by the type's name. */
export type FieldsBeyond = Readonly<Record<string, readonly string[]>>;

/** Reads a generated table (`scripts/provider-types`); fields of `beyond` count as allowed. */
export function readRequestTypes(table: string, beyond: FieldsBeyond = {}): RequestTypes {
  const [first = '', ...lines] = table.trim().split('\n');
  const byName = new Map<string, RequestType>();
  for (const line of lines) {
    const [head = '', fields = ''] = line.split(/:(?: |$)/);
    const [name = '', ...tags] = head.split(' ');
    byName.set(name, {
      tags: tags.map((tag) => {
        const [field = '', values = ''] = tag.split('=');
        return [field, new Set(values.split('|'))] as const;
      }),
      fields: new Map([
        ...fields.split(' ').map(readField),
        ...(beyond[name] ?? []).map((field) => [field, { refusesNull: true, types: [] }] as const),
      ]),
    });
  }
  return { roots: first.replace('roots: ', '').split(' '), byName };
}

function readField(text: string): [string, Field] {
  const [name = '', types] = text.split('=');
  const refusesNull = name.endsWith('!');
  return [
    refusesNull ? name.slice(0, -1) : name,
    { refusesNull, types: types === undefined ? [] : types.split('|') },
  ];
}

/**
 * A message, block or item with only the fields that a request may have, nested ones too; null is
 * left out where the request refuses it. What no request type is known for (a newer block) stays as
 * it is, and so does whatever the types leave open, such as the input of a call. Where nothing had to
 * go it is the very same object.
 */
export function requestFields(object: JsonObject, types: RequestTypes): JsonObject {
  return prune(object, types.roots, types);
}

function prune(object: JsonObject, names: readonly string[], types: RequestTypes): JsonObject {
  const matching = typesOf(object, names, types);
  if (matching.length === 0) return object;
  // Built with the first change: most objects have none.
  let kept: [string, Json][] | null = null;
  const fields = Object.entries(object);
  for (const [index, entry] of fields.entries()) {
    const [field, value] = entry;
    const known = fieldOf(matching, field);
    const isKept = known !== undefined && (value !== null || !known.refusesNull);
    const pruned = isKept ? pruneValue(value, known.types, types) : value;
    if (isKept && pruned === value) {
      kept?.push(entry);
      continue;
    }
    kept ??= fields.slice(0, index);
    if (isKept) kept.push([field, pruned]);
  }
  return kept === null ? object : Object.fromEntries(kept);
}

function typesOf(object: JsonObject, names: readonly string[], { byName }: RequestTypes) {
  const matching: RequestType[] = [];
  for (const name of names) {
    const type = byName.get(name);
    if (type !== undefined && isOf(object, type)) matching.push(type);
  }
  return matching;
}

/** What the types say of a field, taken together; undefined where none of them has it. */
function fieldOf(matching: readonly RequestType[], name: string): Field | undefined {
  if (matching.length === 1) return matching[0]?.fields.get(name);
  const known = matching.flatMap((type) => type.fields.get(name) ?? []);
  if (known.length === 0) return undefined;
  const refusesNull = known.every((field) => field.refusesNull);
  return { refusesNull, types: [...new Set(known.flatMap((field) => field.types))] };
}

function pruneValue(value: Json, names: readonly string[], types: RequestTypes): Json {
  if (names.length === 0) return value;
  if (isJsonObject(value)) return prune(value, names, types);
  if (!Array.isArray(value)) return value;
  const kept = value.map((entry) => pruneValue(entry, names, types));
  return kept.every((entry, index) => entry === value[index]) ? value : kept;
}

function isOf(object: JsonObject, type: RequestType): boolean {
  return type.tags.every(([field, values]) => {
    // An item of the Responses API with a role and no type is a message.
    const absent = field === 'type' && typeof object.role === 'string' ? 'message' : undefined;
    const value = object[field] ?? absent;
    return typeof value === 'string' && values.has(value);
  });
}
