import { modelMessageSchema } from 'ai';
import type { Entry } from './reading.ts';

/** What the AI SDK itself says against messages, and what its providers do about calls and results. */
export function aiSdkProblems(entries: readonly Entry[]): string[] {
  const found: string[] = [];
  let waiting = new Set<unknown>();
  for (const [index, entry] of entries.entries()) {
    const parsed = modelMessageSchema.safeParse(entry);
    if (!parsed.success) found.push(`${index}: ${parsed.error.message}`);
    const parts = Array.isArray(entry.content) ? entry.content : [];
    if (entry.role === 'tool') {
      for (const part of parts) {
        if (part.type !== 'tool-result' || waiting.delete(part.toolCallId)) continue;
        found.push(`${index}: a result without its call`);
      }
      continue;
    }
    if (waiting.size > 0) found.push(`${index}: a call before it has no result`);
    waiting = new Set(
      parts.flatMap((part) =>
        part.type === 'tool-call' && part.providerExecuted !== true ? [part.toolCallId] : [],
      ),
    );
  }
  return found;
}
