import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

/** A question about a chat, and what of the chat an answer needs. */
export type Probe = {
  /** Such as `instruction_following`. */
  type: string;
  question: string;
  /** The standing instruction or preference of the user that the answer has to follow; '' for others. */
  rule: string;
  /** What the user said where the answer stands, as far as the chat says who said it. */
  statements: string[];
};

const CHAT = /-chat\.json(?:\.gz)?$/;

const probesSchema = z.record(
  z.string(),
  z.array(
    z.looseObject({
      question: z.string().optional(),
      instruction_being_tested: z.string().optional(),
      preference_being_tested: z.string().optional(),
      source_chat_ids: z.unknown().optional(),
    }),
  ),
);
const chatSchema = z.array(
  z.looseObject({
    turns: z.array(
      z.array(z.looseObject({ role: z.string(), id: z.number(), content: z.string() })),
    ),
  }),
);

/** The probes of BEAM that lie beside a chat of BEAM (`…-chat.json`, `…-probing_questions.json`). */
export function probesBeside(path: string): Probe[] {
  const questions = path.replace(CHAT, '-probing_questions.json');
  if (!CHAT.test(path) || !existsSync(questions)) return [];
  const bytes = readFileSync(path);
  const text = path.endsWith('.gz') ? gunzipSync(bytes).toString() : bytes.toString();
  return probesOf(JSON.parse(readFileSync(questions, 'utf8')), JSON.parse(text));
}

/** The probes of a file of questions; `chat` says what stands behind the numbers in them. */
export function probesOf(questions: unknown, chat: unknown): Probe[] {
  const said = new Map(
    chatSchema
      .parse(chat)
      .flatMap(({ turns }) => turns.flat())
      .flatMap(({ role, id, content }) => (role === 'user' ? [[id, content]] : [])),
  );
  return Object.entries(probesSchema.parse(questions)).flatMap(([type, probes]) =>
    probes.map((probe) => ({
      type,
      question: probe.question ?? '',
      rule: probe.instruction_being_tested ?? probe.preference_being_tested ?? '',
      statements: numbersIn(probe.source_chat_ids).flatMap((id) => said.get(id) ?? []),
    })),
  );
}

/** Ids stand in lists, and in lists under the names of what they are the source of. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(numbersIn);
}
