import { expect } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { isJsonObject, type JsonObject } from '../../../src/domain/json.ts';
import type { ModelAnswer } from '../../../src/workers/summarizers/text-model.ts';
import { attachment, ofTokens } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { compact, labOf, last, steps } from '../lab.ts';

/** Sessions of profile `codex-v2`, and items as codex writes them. Not a test file. */

export const { openLab, appendTo } = labOf('codex-v2', 'openai-responses');

export function user(text: string, fields: Item = {}): Item {
  return { type: 'message', role: 'user', content: [inputText(text)], ...fields };
}

export function assistant(text: string, fields: Item = {}): Item {
  return {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text }],
    ...fields,
  };
}

/** The text of a message with one part. */
export function textOf({ content }: Item): string {
  const [part] = Array.isArray(content) ? content : [];
  return isJsonObject(part) ? String(part.text) : '';
}

export function inputText(text: string): JsonObject {
  return { type: 'input_text', text };
}

export const IMAGE: JsonObject = {
  type: 'input_image',
  image_url: 'data:image/png;base64,iVBORw0KGgo=',
};

export function call(id: string, name: string, input: JsonObject = {}): Item {
  return { type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) };
}

export function output(id: string, content: string | JsonObject[], fields: Item = {}): Item {
  return { type: 'function_call_output', call_id: id, output: content, ...fields };
}

/** A call and its output, which counts `tokens`. */
export function tool(id: string, name: string, tokens: number, input: JsonObject = {}): Item[] {
  return [call(id, name, input), output(id, ofTokens(tokens))];
}

/** What Codex answers for a command that has printed so much and ended. */
export function printed(text: string, code = 0): string {
  const head = `Chunk ID: 8c7cc0\nWall time: 0.0500 seconds\nProcess exited with code ${code}`;
  return `${head}\nOriginal token count: 10\nOutput:\n${text}\n`;
}

/** A call of `cat` and what it prints: Codex reads files in a shell. */
export function reads(id: string, path: string, content: string): Item[] {
  return [call(id, 'exec_command', { cmd: `cat ${path}` }), output(id, printed(content))];
}

/** Outputs of shell calls with these sizes in tokens, oldest first, named r1, r2 … */
export function shells(...sizes: number[]): Item[] {
  return sizes.flatMap((size, index) => tool(`r${index + 1}`, 'shell', size));
}

/** Nothing but thinking. */
export function reasoning(text: string): Item {
  return { type: 'reasoning', summary: [{ type: 'summary_text', text }] };
}

/** A message with which the provider reports a context of so many tokens. */
export function reporting(tokens: number): Item {
  return assistant('ok', { usage: { input_tokens: tokens, output_tokens: 0 } });
}

/** So many tokens that the context is at its threshold, and that no clearing can take away. */
export const TALK_AT_THRESHOLD = user(ofTokens(141_000));

/** A turn that is worth a summary. */
export const TALK = [user('Fix the parser.'), assistant(ofTokens(3_000))];

/** One of each kind that is restored, and talk besides. */
export const EVERYTHING = [
  ...TALK,
  attachment('plan', 'First the parser.'),
  attachment('todo', [{ content: 'ship it', status: 'pending' }]),
  ...reads('t', 'src/parser.ts', ofTokens(100)),
];

export const GOOD = summaryAnswer();

/** A failure of a model that is not tried again. */
export function refusal(reason: 'prompt_too_long' | 'api_error'): ModelAnswer {
  return { ok: false, reason, message: `openai: ${reason}`, retryable: false };
}

/** Where each entry of the context comes from, in order. */
export async function origins(lab: SessionLab): Promise<string[]> {
  return (await lab.view()).entries.map(({ origin }) => origin);
}

/** The ids that a micro-compaction clears, and the tokens that it saves; null when it has no effect. */
export async function microCompact(
  lab: SessionLab,
): Promise<{ ids: string[]; saved: number } | null> {
  const events = await compact(lab, 'micro');
  if (steps(events).includes('skipped')) {
    expect(last(events, 'compaction.skipped').data.reason).toBe('not_effective');
    return null;
  }
  const { edits, tokens_saved } = last(events, 'compaction.micro_completed').data;
  return { ids: edits.map((edit) => edit.tool_use_id), saved: tokens_saved };
}
