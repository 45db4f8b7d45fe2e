import { LABELS } from './earlier.ts';
import type { CallFact, Facts } from './facts.ts';
import type { Point } from './point.ts';
import { firstLine } from './text.ts';

const MAX_ERRORS = 40;

/** Calls that failed, newest first, and what followed; the words of a tool stand in quotes. */
export function errorPoints(facts: Facts): Point[] {
  const points: Point[] = [];
  const seen = new Set<string>();
  for (let i = facts.calls.length - 1; i >= 0 && points.length < MAX_ERRORS; i--) {
    const call = facts.calls[i];
    if (call?.outcome !== 'failed' || seen.has(call.error)) continue;
    seen.add(call.error);
    const text = `${LABELS.error}${named(call)}: tool output "${call.error}"${followUp(facts, call, i)}`;
    points.push({ text, place: call.index });
  }
  return points;
}

function followUp(facts: Facts, failed: CallFact, position: number): string {
  const later = facts.calls.slice(position + 1, position + 40);
  if (later.some((call) => call.outcome === 'ok' && isSameCall(call, failed))) {
    return '; the same call worked later.';
  }
  const next = later[0];
  const limit = next?.index ?? Number.POSITIVE_INFINITY;
  const said = facts.assistant.find((text) => text.index > failed.index && text.index <= limit);
  if (said !== undefined) return `; Assistant then: ${firstLine(said.text, 140)}`;
  return next === undefined ? '.' : `; then ${named(next)}, ${next.outcome}.`;
}

function isSameCall(one: CallFact, other: CallFact): boolean {
  return one.name === other.name && one.subject === other.subject;
}

/** A call as a point names it: the tool and what it was about. */
export function named(call: CallFact): string {
  return call.subject === '' ? call.name : `${call.name} (${call.subject})`;
}

/** One point for each tool: how often it ran, how often it failed, its last call. */
export function toolPoints(facts: Facts): Point[] {
  const tools = new Map<string, { calls: number; failed: number; last: CallFact | null }>();
  for (const line of facts.earlier?.points.get('tools') ?? []) {
    const match = /^Tool (\S{1,100}): (\d{1,7}) calls?(?:, (\d{1,7}) failed)?/.exec(line);
    if (match === null) continue;
    tools.set(match[1] ?? '', {
      calls: Number(match[2]),
      failed: Number(match[3] ?? 0),
      last: null,
    });
  }
  for (const call of facts.calls) {
    const tool = tools.get(call.name) ?? { calls: 0, failed: 0, last: null };
    tool.calls++;
    if (call.outcome === 'failed') tool.failed++;
    tool.last = call;
    tools.set(call.name, tool);
  }
  return [...tools]
    .sort((a, b) => b[1].calls - a[1].calls)
    .map(([name, tool], place) => {
      const failed = tool.failed > 0 ? `, ${tool.failed} failed` : '';
      const last = tool.last?.subject ? `; last: ${tool.last.subject} (${tool.last.outcome})` : '';
      const calls = tool.calls === 1 ? '1 call' : `${tool.calls} calls`;
      return { text: `${LABELS.tool}${name}: ${calls}${failed}${last}`, place };
    });
}
