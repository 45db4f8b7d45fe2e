import type { Answer } from '../../domain/gateway/answers/answer.ts';
import { formatOf } from '../../domain/gateway/protocol.ts';
import { codecFor } from '../../domain/items/codecs.ts';
import { callIds, pairedParts } from '../../domain/items/pairing.ts';
import { isOwnTool, qualifiedName } from '../../domain/policy/own-tools.ts';
import { hashed } from './history-keys.ts';
import type { TurnRequest } from './turn-request.ts';

/*
 * What a client that comes through the gateway names its session by when it calls our tools over MCP
 * (SPEC 2, section 21): Codex its thread, Claude Code the call itself. The gateway notes these keys, and
 * `/mcp` looks them up. They identify within a tenant, and authorise nothing.
 */

export function threadKey(thread_id: string): string {
  return hashed('thread of a caller', thread_id);
}

export function callKey(call_id: string): string {
  return hashed('call of a tool of ours', call_id);
}

/** What our tools are to find the session by when the client of this turn calls them over MCP. */
export function callerKeys(
  { protocol, headers }: Pick<TurnRequest, 'protocol' | 'headers'>,
  { items }: Pick<Answer, 'items'>,
): string[] {
  const codec = codecFor(formatOf(protocol));
  const calls = pairedParts(items.map((item) => codec.normalise(item)))
    .map(({ part }) => part)
    .filter((part) => part.kind === 'tool_call')
    .filter((part) => isOwnTool(qualifiedName(part)));
  const thread = headers['thread-id'];
  return [
    ...(thread === undefined ? [] : [threadKey(thread)]),
    ...calls.flatMap(callIds).map(callKey),
  ];
}
