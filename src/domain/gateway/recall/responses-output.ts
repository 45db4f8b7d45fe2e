import { isJsonObject, type JsonObject, objectsIn } from '../../json.ts';
import type { IsOwn } from './recall-protocol.ts';
import { usageOfRounds } from './usage.ts';

/** The last response with the name of the first, the output of all, and their usage. */
export function joinedResponse(bodies: readonly JsonObject[], output: JsonObject[]): JsonObject {
  const [first = {}] = bodies;
  const usages = bodies.map(({ usage }) => usage).filter(isJsonObject);
  const usage = usageOfRounds(usages, 'output_tokens');
  return {
    ...bodies.at(-1),
    ...(first.id !== undefined && { id: first.id }),
    output,
    ...(usage !== null && { usage }),
  };
}

/** What the client sees of an output. */
export function shownOutput(output: JsonObject[string] | undefined, isOwn: IsOwn): JsonObject[] {
  return objectsIn(output).filter((item) => !isOwnCall(item, isOwn));
}

export function noteItem(text: string): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: 'msg_palimpsest', status: 'completed', role: 'assistant', content };
}

export function isOwnCall({ type, name }: JsonObject, isOwn: IsOwn): boolean {
  return type === 'function_call' && typeof name === 'string' && isOwn(name);
}
