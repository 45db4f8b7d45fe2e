import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SessionManager } from '@mariozechner/pi-coding-agent';
import type { StorePeer } from '../peer.ts';
import { piMessage } from '../pi-messages.ts';

/** A file of lines, which its one process keeps in memory as well. */
export const piOnFile: StorePeer = async ({ folder }) => {
  const file = readdirSync(folder).find((name) => name.endsWith('.jsonl'));
  const session =
    file === undefined
      ? SessionManager.create(folder, folder)
      : SessionManager.open(join(folder, file), folder);
  return {
    append: async (message) => {
      session.appendMessage(piMessage(message));
    },
    fill: async (messages) => {
      for (const message of messages) session.appendMessage(piMessage(message));
    },
    read: async () => {
      const path = session.getSessionFile();
      if (path === undefined) throw new Error('the session has a file');
      return SessionManager.open(path, folder).buildSessionContext().messages.length;
    },
    close: async () => {},
  };
};
