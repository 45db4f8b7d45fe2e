import { fileBlock, isRecord } from './content.ts';

export type Block = Record<string, unknown>;
/** A part of a message of the AI SDK. */
export type Part = Block & { type: string };
type Role = 'system' | 'user' | 'assistant' | 'tool';
export type Message = { role: Role; content: string | readonly object[] };

/** Its parts; a text is one. */
export function partsOf({ content }: Message): Part[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.filter(isPart);
}

function isPart(value: unknown): value is Part {
  return isRecord(value) && typeof value.type === 'string';
}

/**
 * A part as a block. Reasoning has none: it is bound to its message, and comes back with that or not at
 * all. What the provider runs itself is part of its answer, and no call that anybody else answers; what
 * only the provider knows, such as a file that it keeps, is a block of its own.
 */
export function blockOf({ type, ...part }: Part, { role }: Pick<Message, 'role'>): Block | null {
  const { input, output } = part;
  const { providerOptions: _options, ...said } = part;
  const own = { ...said, type: `provider.${type}` };
  const isProviders = part.providerExecuted === true || (role === 'assistant' && 'output' in part);
  if (isProviders || type.startsWith('tool-approval')) return own;
  switch (type) {
    case 'text':
      return part.text === '' ? null : { type, text: part.text };
    case 'tool-call': {
      const call = { type: 'tool_use', id: part.toolCallId, name: part.toolName };
      return { ...call, input: isRecord(input) ? input : { input } };
    }
    case 'tool-result': {
      const isError = isRecord(output) && /^error|^execution-denied/.test(String(output.type));
      const result = { type: 'tool_result', tool_use_id: part.toolCallId };
      return { ...result, content: resultOf(output), ...(isError && { is_error: true }) };
    }
    default:
      if (type.startsWith('reasoning')) return null;
      return fileBlock({ type, ...part }) ?? own;
  }
}

function resultOf(output: unknown): unknown {
  if (!isRecord(output)) return '';
  const { type, value, reason } = output;
  if (type === 'execution-denied') {
    const isGiven = typeof reason === 'string' && reason !== '';
    return `Tool call execution denied${isGiven ? `: ${reason}` : '.'}`;
  }
  if (typeof value === 'string') return value;
  if (type !== 'content' || !Array.isArray(value)) return JSON.stringify(value);
  return value.filter(isPart).flatMap((part) => blockOf(part, { role: 'tool' }) ?? []);
}
