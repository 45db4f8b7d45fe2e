import type { Normalised } from '../items/item.ts';
import type { Config } from '../policy/config.ts';
import { transcriptText } from './transcript-text.ts';

export type SummaryTemplate = Config['summary_template'];

/** One prompt file: its text, and the version (`nine-sections@1`) that events record. */
export type Template = { version: string; text: string };

/** The prompt files as data; whoever may read the disk loads them and hands them in. */
export type Templates = { system: Template; summary: Record<SummaryTemplate, Template> };

export type SummaryPrompt = { system: string; prompt: string; template: string };

/**
 * Builds what a summariser is asked: the conversation as delimited data, the task after it, then
 * custom instructions, focus and length under headings of their own (SPEC section 10). `conversation` is
 * taken as it is: filtering and fitting it into a window happen before. `template` of the answer is
 * the version of the prompt file, for the event.
 */
export function buildSummaryPrompt(request: {
  templates: Templates;
  template: SummaryTemplate;
  conversation: readonly Normalised[];
  instructions?: string | undefined;
  focus?: string | undefined;
  /** Tokens that the summary may count; the model is told in words. */
  max_tokens: number;
}): SummaryPrompt {
  const task = request.templates.summary[request.template];
  const parts = [transcriptText(request.conversation), task.text];
  const instructions = request.instructions?.trim();
  const focus = request.focus?.trim();
  if (instructions) parts.push(`## Additional instructions\n\n${instructions}`);
  if (focus) parts.push(`## Focus\n\nGive the most detail to this: ${focus}`);
  // A token is some three quarters of a word; less is safer, since a longer answer would be cut off.
  const words = Math.floor(request.max_tokens * 0.6);
  parts.push(`## Length\n\nAt most about ${words} words for the summary, and a short analysis.`);
  return {
    system: request.templates.system.text,
    prompt: parts.join('\n\n'),
    template: task.version,
  };
}
