import { z } from 'zod';
import { readSession } from '../../app/read-session.ts';
import { counted } from '../../domain/counted.ts';
import { accept } from '../../domain/session/errors.ts';
import type { Tool } from '../tool.ts';

/** How full the context is, and what was compacted. */
export const statusTool: Tool<Record<string, never>> = {
  name: 'context_status',
  description:
    'Tells how full the context of this conversation is, what was compacted, and which numbers its items have.',
  input: z.strictObject({}),
  isReading: true,
  call: async (ports, { ref }) => {
    const read = await readSession(ports, ref);
    if (!read.ok) return read;
    const { context, counts, version, compact_state, running_compaction } = read.value;
    const { micro, full, remote } = counts.compactions;
    const { base_compaction_id: base, through } = compact_state;
    const lines = [
      `session: ${ref.session_id}`,
      `context: ${counted(context.tokens, 'token')}${windowOf(read.value)}`,
      `items ever appended: ${counts.items}, numbered up to ${version}`,
      `compactions: ${micro + full + remote}`,
      base !== null && `summary in your context: compaction ${base}, of items 1-${through}`,
      running_compaction !== null && `a compaction is ${running_compaction.status}`,
    ];
    return accept(lines.filter((line) => line !== false).join('\n'));
  },
};

type State = Extract<Awaited<ReturnType<typeof readSession>>, { ok: true }>['value'];

function windowOf({ context_window, percent_used_of_window: used }: State): string {
  const share = used === null ? '' : `, ${Math.round(used)} % used`;
  return ` of ${context_window.toLocaleString('en-US')}${share}`;
}
