import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { jsonOf } from '../../src/cli/target.ts';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import { type Transcript, TranscriptError } from '../../src/importers/transcript.ts';
import { BenchClient } from '../client.ts';
import { type LocalService, withLocalService } from '../local-service.ts';
import type { Message } from '../peers/message.ts';

/** Larger than any recording: nothing is compacted while it is read. */
const WINDOW = 100_000_000;

const textSchema = z.union([
  z.string(),
  z.null(),
  z.array(z.looseObject({ text: z.string().optional() })),
]);
const chatSchema = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer', 'user']), content: textSchema }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: textSchema }),
  z.object({
    role: z.literal('assistant'),
    content: textSchema.optional(),
    tool_calls: z
      .array(
        z.object({
          id: z.string(),
          function: z.object({ name: z.string(), arguments: z.string() }),
        }),
      )
      .optional(),
  }),
]);

/**
 * The messages of a recorded transcript, or of all in a folder one after the other, whatever their format.
 * Throws where the path holds none.
 */
export function messagesAt(path: string): Promise<Message[]> {
  const transcripts = filesAt(path).flatMap(transcriptsOf);
  return withLocalService({ summarizer: 'extractive', synchronous: 'NORMAL' }, async (service) => {
    const messages: Message[] = [];
    for (const [index, transcript] of transcripts.entries()) {
      messages.push(...(await messagesOf(service, transcript, `t${index}`)));
    }
    if (messages.length === 0) throw new Error(`${path} holds no transcript`);
    return messages;
  });
}

function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** None of a file that is something else. */
function transcriptsOf(file: string): Transcript[] {
  try {
    return readTranscripts(basename(file), readFileSync(file));
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
    console.error(`left out: ${basename(file)} (${error.code})`);
    return [];
  }
}

/** The service itself turns each format into that of chat completions. */
async function messagesOf({ target }: LocalService, transcript: Transcript, id: string) {
  const client = new BenchClient(target);
  const { format, items } = transcript;
  const config = { auto_compact_enabled: false };
  await client.create(id, { format, context_window: WINDOW, config });
  await client.append(id, items);
  const path = `/sessions/${id}/context?format=openai-chat`;
  const answer = z
    .object({ items: z.array(chatSchema) })
    .parse(await jsonOf(await target.request(path)));
  return neutral(answer.items, id);
}

function neutral(items: readonly z.infer<typeof chatSchema>[], prefix: string): Message[] {
  const names = new Map<string, string>();
  const idOf = (id: string) => `${prefix}_${id}`;
  return items.map((item): Message => {
    const text = textOf(item.content ?? null);
    switch (item.role) {
      case 'tool': {
        const { tool_call_id: id } = item;
        return { role: 'tool', call_id: idOf(id), name: names.get(id) ?? 'tool', text };
      }
      case 'assistant': {
        const calls = (item.tool_calls ?? []).map(
          ({ id, function: { name, arguments: input } }) => {
            names.set(id, name);
            return { id: idOf(id), name, input: inputOf(input) };
          },
        );
        return { role: 'assistant', text, calls };
      }
      default:
        return { role: 'user', text };
    }
  });
}

function textOf(content: z.infer<typeof textSchema>): string {
  if (content === null || typeof content === 'string') return content ?? '';
  return content.map(({ text = '' }) => text).join('\n');
}

function inputOf(text: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    return { input: text };
  }
}
