import { isJsonObject, type Json, type JsonObject } from '../../json.ts';

/**
 * The usage of an answer of several rounds, as the client is told it: the context is as large as that of
 * the last round, what the model has written is that of all of them, and `palimpsest_billed` sums up
 * every figure. Clients take the input for the size of their context: summed up, it would look full.
 */
export function usageOfRounds(
  rounds: readonly JsonObject[],
  output: 'output_tokens' | 'completion_tokens',
): JsonObject | null {
  const last = rounds.at(-1);
  if (last === undefined) return null;
  if (rounds.length === 1) return last;
  const billed = rounds.reduce(summed);
  return { ...last, [output]: billed[output] ?? 0, palimpsest_billed: billed };
}

function summed(one: JsonObject, other: JsonObject): JsonObject {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(names.map((name) => [name, sum(one[name], other[name])]));
}

function sum(one: Json = null, other: Json = null): Json {
  if (typeof one === 'number' && typeof other === 'number') return one + other;
  if (isJsonObject(one) && isJsonObject(other)) return summed(one, other);
  return other ?? one;
}
