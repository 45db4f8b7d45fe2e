import type { AgentInputItem } from '@openai/agents';

/**
 * What the model is given, without what OpenAI would refuse: an item under the id that it once gave it,
 * whose reasoning a compaction has taken away. Such items go out without their id; what OpenAI's own tools
 * have done goes with its reasoning.
 */
export function withReasonsOnly(
  said: readonly AgentInputItem[],
  given: readonly AgentInputItem[],
): AgentInputItem[] {
  const reasons = reasonsOf(said);
  const there = new Set(given);
  return given.flatMap((item): AgentInputItem[] => {
    const reason = reasons.get(item);
    if (reason === undefined || there.has(reason)) return [item];
    if (item.type === 'hosted_tool_call') return [];
    const { id: _id, ...rest } = item;
    return [rest];
  });
}

/** Of each item of an answer the reasoning before it. */
function reasonsOf(said: readonly AgentInputItem[]): Map<AgentInputItem, AgentInputItem> {
  const reasons = new Map<AgentInputItem, AgentInputItem>();
  let reason: AgentInputItem | null = null;
  for (const item of said) {
    if (item.type === 'reasoning') reason = item;
    else if (isOfClient(item)) reason = null;
    else if (reason !== null) reasons.set(item, reason);
  }
  return reasons;
}

function isOfClient(item: AgentInputItem): boolean {
  if ('role' in item) return item.role !== 'assistant';
  return /_(?:result|output)$/.test(String(item.type));
}
