import { withCodeCalls } from '../items/code-mode/with-code-calls.ts';
import type { Normalised, ToolCall, ToolResult } from '../items/item.ts';
import { partnersIn } from '../items/pairing.ts';
import { isJsonObject } from '../json.ts';
import { parseInside } from '../json-text.ts';
import { answerOf } from '../workspace/result-text.ts';

/** The objectives of goals that Codex has taken for complete, or that are gone: it tells nothing more of them. */
export function goalsDone(items: readonly Normalised[]): ReadonlySet<Normalised> {
  const done = new Set<Normalised>();
  if (!items.some(isGoal)) return done;
  const apart = withCodeCalls(items);
  const { calls } = partnersIn(apart);
  let goal: Normalised | null = null;
  for (const item of apart) {
    if (item.kind !== 'message') continue;
    if (isGoal(item)) goal = item;
    const isOver = item.parts.some((part) => {
      const call = part.kind === 'tool_result' ? calls.get(part)?.call : undefined;
      return part.kind === 'tool_result' && call !== undefined && endsGoal(call, part);
    });
    if (isOver && goal !== null) done.add(goal);
  }
  return done;
}

function isGoal(item: Normalised): boolean {
  return item.kind === 'message' && item.told_as === 'agent goal_objective';
}

/**
 * The tool answers with the goal as it is then, with none, or why it could not do so. In a script of code mode
 * it fails with the script, which may keep its answer to itself.
 */
function endsGoal({ name, input, source }: ToolCall, result: ToolResult): boolean {
  if (name !== 'update_goal' && name !== 'get_goal') return false;
  const { text, isFailed, isCleared } = answerOf(result);
  if (isFailed || result.is_in_doubt === true) return false;
  const told = text.startsWith('{"goal":') ? parseInside(text) : undefined;
  const goal = isJsonObject(told) ? told.goal : undefined;
  if (goal === null) return true;
  const isInScript = isJsonObject(source) && source.type === 'custom_tool_call';
  if (goal === undefined && !isInScript && !isCleared) return false;
  const asked = isJsonObject(input) ? input.status : undefined;
  return (isJsonObject(goal) ? (goal.status ?? asked) : asked) === 'complete';
}
