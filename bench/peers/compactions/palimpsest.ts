import { join } from 'node:path';
import { chatMessage } from '../message.ts';
import { appendAll, call, startOurs } from '../palimpsest.ts';
import type { Compacted, CompactionPeer } from '../peer.ts';

const WINDOW = 400_000;

/** From request to answer, with what is written to the disk. A full one is summarised from the log. */
function ours(mode: 'micro' | 'full'): CompactionPeer {
  return async (messages, { folder }): Promise<Compacted> => {
    const service = await startOurs({ DATABASE_URL: `file:${join(folder, 'palimpsest.db')}` });
    try {
      const config = { auto_compact_enabled: false };
      const settings = { format: 'openai-chat', context_window: WINDOW, config };
      const { id } = await call(service, 'POST', '/sessions', settings);
      await appendAll(service, String(id), messages.map(chatMessage));
      const started = performance.now();
      const prefer = { prefer: 'wait=60' };
      const path = `/sessions/${id}/compact`;
      const { outcome } = await call(service, 'POST', path, { mode }, prefer);
      const milliseconds = performance.now() - started;
      if (outcome !== `${mode}_compacted`) throw new Error(`a ${mode} compaction: ${outcome}`);
      const { items } = await call(service, 'GET', `/sessions/${id}/context`);
      if (!Array.isArray(items)) throw new Error('a context has items');
      return { milliseconds, ...chatContext(items) };
    } finally {
      await service.stop();
    }
  };
}

type ChatItem = { content?: unknown; tool_calls?: { id: string }[]; tool_call_id?: string };

function chatContext(items: readonly ChatItem[]): Omit<Compacted, 'milliseconds'> {
  return {
    characters: items.reduce(
      (sum, { content, tool_calls }) =>
        sum + JSON.stringify(content ?? '').length + JSON.stringify(tool_calls ?? '').length,
      0,
    ),
    messages: items.map(({ tool_calls = [], tool_call_id = null }) => ({
      calls: tool_calls.map(({ id }) => id),
      result: tool_call_id,
    })),
  };
}

export const oursMicro = ours('micro');
export const oursFull = ours('full');
