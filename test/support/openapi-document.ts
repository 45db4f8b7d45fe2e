import { isJsonObject, type Json, type JsonObject } from '../../src/domain/json.ts';

/** An operation of an OpenAPI document, by its place there. */
export type DocumentedOperation = { path: string; method: string; operation: JsonObject };

/** The object at a path of the document. Throws where there is none. */
export function objectAt(root: Json | undefined, ...path: string[]): JsonObject {
  let value = root;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  if (value === undefined || !isJsonObject(value)) {
    throw new Error(`the document has no ${path.join(' ')}`);
  }
  return value;
}

export function operationsIn(document: JsonObject): DocumentedOperation[] {
  return Object.entries(objectAt(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(objectAt(methods)).map(([method, operation]) => ({
      path,
      method,
      operation: objectAt(operation),
    })),
  );
}

/** What stands there, or what that refers to. */
export function resolved(document: JsonObject, value: JsonObject): JsonObject {
  const { $ref } = value;
  if (typeof $ref !== 'string') return value;
  return resolved(document, objectAt(document, ...$ref.slice('#/'.length).split('/')));
}

/** The examples of a response or a request, by name: `examples` in any of its media types. */
export function examplesOf(document: JsonObject, response: JsonObject): Map<string, Json> {
  const { content } = resolved(document, response);
  if (content === undefined) return new Map();
  return new Map(
    Object.values(objectAt(content)).flatMap((media) => {
      const { examples } = objectAt(media);
      return Object.entries(isJsonObject(examples) ? examples : {}).map(([name, example]) => [
        name,
        resolved(document, objectAt(example)).value ?? null,
      ]) as [string, Json][];
    }),
  );
}
