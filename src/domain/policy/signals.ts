import type { Attachment, ToolCall, ToolResult } from '../items/item.ts';
import type { Boundary } from './boundaries.ts';
import type { Config } from './config.ts';
import { phraseFinder } from './phrase-finder.ts';
import { finishedSteps } from './plan-progress.ts';

/** How agents write down the exit code of a command, at the head or at the end of its output. */
const EXIT_CODE =
  /(?:(?:^|\n)(?:process )?exit(?:ed with)? code:? ?|"exit_code":\s?|<returncode>)(-?\d{1,10})/i;
const EXIT_CODE_WITHIN = 300;

/** Whether a result tells of success: it is no error, and names no exit code but 0. */
export function hasSucceeded({ is_error, content }: ToolResult): boolean {
  if (is_error) return false;
  const text = content.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
  return [text.slice(0, EXIT_CODE_WITHIN), text.slice(-EXIT_CODE_WITHIN)].every((part) => {
    const code = EXIT_CODE.exec(part)?.[1];
    return code === undefined || Number(code) === 0;
  });
}

/**
 * How many steps of a plan are completed after a call of a plan tool, or as a todo attachment shows
 * it; null for everything else (SPEC section 11).
 */
export function completedSteps(source: ToolCall | Attachment, config: Config): number | null {
  if (source.kind === 'attachment') {
    const { attachment, is_empty, text } = source;
    return attachment === 'todo' && !is_empty ? finishedSteps(text) : null;
  }
  const tool = source.name.toLowerCase();
  const isPlan = config.signal_plan_tools.some((other) => other.toLowerCase() === tool);
  return isPlan ? finishedSteps(source.input) : null;
}

/** Of a text both ends are read, so many characters together: nobody replies at such length. */
const TEXT_CHARACTERS = 100_000;

/** The boundaries that a text of the agent speaks of (SPEC section 11). */
export function textBoundaries(text: string, config: Config): Boundary[] {
  const [shifts, isDone, isNotDone, concludes] = phrasesOf(config)(bothEnds(text));
  return [
    ...(shifts ? ['topic_shift' as const] : []),
    ...(isDone && !isNotDone ? ['agent_done' as const] : []),
    ...(concludes ? ['concluding_thought' as const] : []),
  ];
}

type Finder = { lists: readonly (readonly string[])[]; find: (text: string) => boolean[] };

/** Finders by one of their lists: profiles, and heads in memory, hand on the same lists. */
const finders = new WeakMap<readonly string[], Finder>();

function phrasesOf(config: Config): (text: string) => boolean[] {
  const lists = [
    config.signal_topic_shift,
    config.signal_agent_done,
    config.signal_agent_done_unless,
    config.signal_concluding_thought,
  ];
  const known = finders.get(config.signal_agent_done);
  if (known !== undefined && lists.every((list, index) => list === known.lists[index])) {
    return known.find;
  }
  const find = phraseFinder(lists);
  finders.set(config.signal_agent_done, { lists, find });
  return find;
}

function bothEnds(text: string): string {
  if (text.length <= TEXT_CHARACTERS) return text;
  const half = TEXT_CHARACTERS / 2;
  // The half of a word where it is cut must not pass for a word.
  return `${text.slice(0, half)}_${text.slice(-half)}`;
}
