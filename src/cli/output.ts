import { once } from 'node:events';
import { plainJson } from './terminal/plain-text.ts';
import { type Screen, screenOf } from './terminal/screen.ts';

export type OutputFlags = { json?: boolean; text?: boolean };

type Lines = Iterable<string>;

/** Where a command says what it found: readable lines, or JSON for programs. */
export type Output = {
  /** `lines` is called only where people read. */
  say: (json: string, lines: (screen: Screen) => Lines | Promise<Lines>) => Promise<void>;
};

/** Readable on a terminal and with `--text`, JSON elsewhere and with `--json`. */
export function outputTo(stream: NodeJS.WriteStream, { json, text }: OutputFlags): Output {
  const isReadable = text === true || (json !== true && stream.isTTY === true);
  return {
    say: async (answer, lines) => {
      if (!isReadable) return write(stream, `${plainJson(answer)}\n`);
      for (const line of await lines(screenOf(stream, process.env)))
        await write(stream, `${line}\n`);
    },
  };
}

/** Waits for whoever reads. */
async function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}
