import { isJsonObject, type Json, type JsonObject, stringField } from '../../../src/domain/json.ts';

export type Parameter = { name: string; place: 'path' | 'query' | 'header'; schema: JsonObject };

/** One operation of an OpenAPI document, as far as a fuzzer needs it. */
export type Operation = {
  method: string;
  /** As in the document: `/sessions/{id}`. */
  path: string;
  parameters: Parameter[];
  /** Schemas of the body by content type; empty when the operation takes none. */
  bodies: ReadonlyMap<string, JsonObject>;
  /** By status: the schemas of the answer by content type. */
  responses: ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const PLACES = ['path', 'query', 'header'] as const;

/** The operations of an OpenAPI 3.1 document. Throws when it names none. */
export function operationsOf(document: JsonObject): Operation[] {
  const operations = Object.entries(objectField(document, 'paths')).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = isJsonObject(item) ? item[method] : undefined;
      return isJsonObject(operation) ? [operationOf(document, method, path, operation)] : [];
    }),
  );
  if (operations.length === 0) throw new Error('the document describes no operations');
  return operations;
}

/** The schema that a `$ref` chain ends at. Throws for a reference that leads nowhere. */
export function resolve(document: JsonObject, schema: JsonObject): JsonObject {
  const reference = stringField(schema, '$ref');
  if (reference === undefined) return schema;
  let target: Json | undefined = document;
  for (const part of reference.replace(/^#\//, '').split('/')) {
    target = isJsonObject(target) ? target[part] : undefined;
  }
  if (!isJsonObject(target)) throw new Error(`the document has no ${reference}`);
  return resolve(document, target);
}

function operationOf(
  document: JsonObject,
  method: string,
  path: string,
  operation: JsonObject,
): Operation {
  const listed = Array.isArray(operation.parameters) ? operation.parameters : [];
  const responses = new Map<string, ReadonlyMap<string, JsonObject>>();
  for (const [status, response] of Object.entries(objectField(operation, 'responses'))) {
    if (isJsonObject(response)) responses.set(status, contentOf(resolve(document, response)));
  }
  return {
    method: method.toUpperCase(),
    path,
    parameters: listed.filter(isJsonObject).flatMap((entry) => {
      const parameter = resolve(document, entry);
      const place = PLACES.find((known) => known === parameter.in);
      const name = stringField(parameter, 'name');
      if (place === undefined || name === undefined) return [];
      return [{ name, place, schema: objectField(parameter, 'schema') }];
    }),
    bodies: contentOf(resolve(document, objectField(operation, 'requestBody'))),
    responses,
  };
}

function contentOf(described: JsonObject): Map<string, JsonObject> {
  return new Map(
    Object.entries(objectField(described, 'content')).map(([type, media]) => [
      type,
      isJsonObject(media) ? objectField(media, 'schema') : {},
    ]),
  );
}

function objectField(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isJsonObject(value) ? value : {};
}
