import { aiSdk } from './ai-sdk.ts';
import { aider } from './aider.ts';
import { antigravity } from './antigravity.ts';
import { beam, isProbingQuestions } from './beam.ts';
import { claudeCode } from './claude-code.ts';
import { claudeStream } from './claude-stream.ts';
import { codex } from './codex.ts';
import { copilotCli } from './copilot-cli.ts';
import { cursor } from './cursor.ts';
import { droid } from './droid.ts';
import { foreignAdvice } from './foreign-transcripts.ts';
import { geminiCli } from './gemini-cli.ts';
import { geminiStream } from './gemini-stream.ts';
import { goose } from './goose.ts';
import { kimi } from './kimi.ts';
import { openaiChat } from './openai-chat.ts';
import { opencode } from './opencode.ts';
import { palimpsestRollout } from './palimpsest-rollout.ts';
import { pi } from './pi.ts';
import { providerAnswers } from './provider-answers.ts';
import { anthropicMessages, responsesItems } from './provider-items.ts';
import { qwenCode } from './qwen-code.ts';
import { sweAgent } from './swe-agent.ts';
import { type Content, type Importer, TranscriptError } from './transcript.ts';
import { vscodeChat } from './vscode-chat.ts';

/** In the order of asking: plain chat messages are the least particular shape and come last. */
const IMPORTERS: readonly Importer[] = [
  aider,
  // Before Claude Code, whose lines form the same tree.
  qwenCode,
  claudeCode,
  claudeStream,
  // Before Codex, whose files have lines of the same types.
  palimpsestRollout,
  codex,
  copilotCli,
  // Before pi, whose lines have the same type.
  droid,
  pi,
  opencode,
  kimi,
  geminiCli,
  geminiStream,
  antigravity,
  cursor,
  vscodeChat,
  sweAgent,
  beam,
  goose,
  aiSdk,
  anthropicMessages,
  responsesItems,
  providerAnswers,
  openaiChat,
];

type Detected = { importer: Importer; content: Content };

/**
 * The importer for a file, by what is in it. A file of one line is both a document and lines, so
 * several views of the same bytes may be offered; the first that an importer knows is taken.
 *
 * @throws TranscriptError `not_a_transcript` or `unknown_format`, with what was seen.
 */
export function detect(fileName: string, views: readonly Content[], seen: string): Detected {
  for (const content of views) {
    if (isProbingQuestions(content)) {
      throw new TranscriptError(
        'not_a_transcript',
        `${fileName} is not a transcript: it holds probing questions (${seen}). Import the chat that they ask about.`,
      );
    }
    const importer = IMPORTERS.find((candidate) => candidate.matches(content));
    if (importer) return { importer, content };
  }
  const known = IMPORTERS.map(({ source, description }) => `${source}: ${description}`);
  throw new TranscriptError(
    'unknown_format',
    `${fileName} is in no known transcript format.${foreignAdvice(views)} Seen: ${seen}. Known:\n  ${known.join(';\n  ')}.`,
  );
}
