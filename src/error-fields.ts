const FRAME = /^\s+at .*$/;
const MOST_FRAMES = 20;

type ErrorFields = { name: string; code?: string; frames: string[] };

/**
 * What the log may hold of an error: name, code and stack frames. Never the message, nor the cause:
 * they may quote what somebody said in a conversation.
 */
export function errorFields(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] };
  const lines = (error.stack ?? '').split('\n');
  // The frames stand last, after a message that may have lines of any look.
  const first = lines.findLastIndex((line) => !FRAME.test(line)) + 1;
  const said = new Set(error.message.split('\n'));
  const frames = lines
    .slice(first)
    .filter((line) => !said.has(line))
    .slice(0, MOST_FRAMES)
    .map((line) => line.trim());
  const code = 'code' in error ? error.code : undefined;
  const isCode = typeof code === 'string' && /^[0-9A-Z][0-9A-Z_]*$/.test(code);
  return { name: error.name, ...(isCode ? { code } : {}), frames };
}
