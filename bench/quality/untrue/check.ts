import type { Call, Conversation } from '../conversation.ts';
import { wrongCounts } from './counts.ts';
import { staleFiles, withoutShownFiles } from './files.ts';
import { wrongOpenCalls } from './open-calls.ts';
import { wrongOrder } from './order.ts';
import { logOf, type Statement, statementsIn, type Untrue } from './statement.ts';
import { wrongSteps } from './steps.ts';
import { wrongVoices } from './voices.ts';

/**
 * The statements of a text that the log of a conversation contradicts, each once. It knows the log by
 * its own rules alone and no wording of any summariser: a figure, a label or a heading has to say what
 * is claimed. `kept` are calls that stand beside the text as they were.
 */
export function untrueIn(
  text: string,
  covered: Conversation,
  kept: readonly Call[] = [],
): { untrue: Untrue[]; statements: number } {
  const log = logOf(covered, kept);
  const apart = withoutShownFiles(text);
  const statements: Statement[] = statementsIn(apart.rest);
  const found = [
    ...wrongCounts(statements, log),
    ...wrongOrder(statements, log),
    ...wrongOpenCalls(statements, log),
    ...wrongSteps(statements, log),
    ...staleFiles(apart, statements, log),
    ...wrongVoices(statements, log),
  ];
  const distinct = new Map(found.map((one) => [`${one.lie} ${one.text}`, one]));
  return { untrue: [...distinct.values()], statements: statements.length };
}

/** What a context says that stands in no original passage: the summary and what comes with it. */
export function writtenAnew(context: Conversation, covered: Conversation): string {
  const originals = new Set(covered.passages.map(({ text }) => text.trim()));
  return context.passages
    .map(({ text }) => text)
    .filter((text) => !originals.has(text.trim()))
    .join('\n\n');
}
