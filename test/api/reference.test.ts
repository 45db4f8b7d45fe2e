import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';

// What a newcomer reads at /docs, beside the routes (openapi.test.ts).

let api: ApiServer;
let document: JsonObject;

beforeAll(async () => {
  api = await startApi();
  document = (await send(api, 'GET', '/openapi.json')).body;
});
afterAll(() => api.close());

/** A place of the document that has a name: a property, a parameter or a header. */
type Named = { name: string; where: string; value: JsonObject };

/** All of them, at any depth. */
function namedPlaces(value: Json, where: string): Named[] {
  if (Array.isArray(value)) return value.flatMap((one) => namedPlaces(one, where));
  if (!isJsonObject(value)) return [];
  const own = [value.properties, value.headers]
    .filter(isJsonObject)
    .flatMap((group) =>
      Object.entries(group).map(([name, inner]) => ({ name, where, value: asObject(inner) })),
    );
  const isParameter = typeof value.name === 'string' && typeof value.in === 'string';
  const parameter = isParameter ? [{ name: String(value.name), where, value }] : [];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    key.startsWith('example') ? [] : namedPlaces(one, `${where} ${key}`),
  );
  return [...own, ...parameter, ...inner];
}

function asObject(value: Json | undefined): JsonObject {
  if (value === undefined || !isJsonObject(value)) throw new Error('must be an object');
  return value;
}

/** What is said of it: beside it, or at the schema that it refers to. */
function descriptionOf(value: JsonObject): string {
  if (typeof value.description === 'string') return value.description;
  if (typeof value.$ref === 'string') {
    const path = value.$ref.slice(2).split('/');
    return descriptionOf(path.reduce((at, key) => asObject(at[key]), document));
  }
  const parts = [value.schema ?? null, ...(Array.isArray(value.allOf) ? value.allOf : [])];
  return (
    parts
      .filter(isJsonObject)
      .map(descriptionOf)
      .find((text) => text !== '') ?? ''
  );
}

const bare = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

describe('descriptions', () => {
  it('stand at every property, parameter and header, and say more than the name', () => {
    const places = namedPlaces(document, 'document');
    expect(places.length).toBeGreaterThan(800);
    const silent = places.filter(({ name, value }) => {
      const text = descriptionOf(value);
      return text.length < 8 || [bare(name), `the${bare(name)}`].includes(bare(text));
    });
    expect(silent.map(({ name, where }) => `${where} ${name}`)).toEqual([]);
  });

  it('are sentences', () => {
    const texts = namedPlaces(document, 'document').map(({ value }) => descriptionOf(value));
    expect([...new Set(texts)].filter((text) => !/^[A-Z0-9`].*[.:]$/su.test(text))).toEqual([]);
  });

  it('stand at every schema', () => {
    const schemas = Object.entries(asObject(asObject(document.components).schemas));
    const silent = schemas.filter(([, schema]) => descriptionOf(asObject(schema)) === '');
    expect(silent.map(([name]) => name)).toEqual([]);
  });
});
