import { z } from 'zod';
import type { Hit } from '../../app/search/hits.ts';
import { search } from '../../app/search/search.ts';
import { STATES } from '../../domain/context/standing.ts';
import { headingOf, underHeading } from '../../domain/context/under-heading.ts';
import { KINDS } from '../../domain/search/documents.ts';
import { accept, reject } from '../../domain/session/errors.ts';
import type { Tool } from '../tool.ts';

const DEFAULT_HITS = 8;
const LONGEST_QUERY = 500;

const input = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(LONGEST_QUERY)
    .optional()
    .describe('Words that all have to stand there; "a phrase", begin*, -without, this OR that.'),
  regex: z
    .string()
    .min(1)
    .max(LONGEST_QUERY)
    .optional()
    .describe('Instead of query: a regular expression in the syntax of RE2.'),
  kind: z.enum(KINDS).optional(),
  tool: z.string().min(1).max(256).optional().describe('Only calls and results of this tool.'),
  state: z
    .enum(STATES)
    .optional()
    .describe('Only what stands in your context, was cleared from it, or was summarised.'),
  limit: z.int().min(1).max(20).optional().describe(`Hits; default ${DEFAULT_HITS}.`),
  cursor: z.string().min(1).max(200).optional().describe('To go on: as the answer before said.'),
  all_sessions: z
    .boolean()
    .optional()
    .describe('Search other sessions too, where the operator allows it.'),
});

/** A search over everything that the session ever held. */
export const searchTool: Tool<z.infer<typeof input>> = {
  name: 'search_history',
  description:
    'Searches everything that was ever said in this conversation, also what is no longer in your ' +
    'context: messages, tool calls, tool results, summaries. Finds names of files, identifiers whole and ' +
    'in parts, error lines, numbers. Each hit has the number of its item, for recall.',
  input,
  isReading: true,
  call: async (ports, { ref, mayLeave }, { query, all_sessions = false, ...rest }) => {
    if (all_sessions && !mayLeave) {
      return reject(
        'invalid_request',
        'other sessions cannot be searched from here: leave all_sessions out',
      );
    }
    const { limit = DEFAULT_HITS } = rest;
    const session = all_sessions ? null : ref.session_id;
    const found = await search(ports, ref.tenant, session, { ...rest, q: query, limit });
    if (!found.ok) return found;
    const { data, next_cursor, is_complete } = found.value;
    const notes = [
      data.length === 0 && 'nothing was found: try fewer or other words, or only parts of a name',
      next_cursor !== null && `more: call it again with cursor ${JSON.stringify(next_cursor)}`,
      !is_complete && 'not everything could be looked at: rarer words help',
    ];
    const lines = data.map((hit) => written(hit, ref.session_id));
    return accept([...lines, ...notes.filter((note) => note !== false).map(bracketed)].join('\n'));
  },
};

function bracketed(note: string): string {
  return `[${note}]`;
}

const STANDS = {
  in_context: 'in your context',
  cleared: 'cleared',
  summarised: 'summarised',
} as const;

/** A line about the hit, and its snippet word for word. */
function written(hit: Hit, own: string): string {
  const { seq, kind, role, tool, tool_use_id, state, compaction_id, session_id } = hit;
  const by = compaction_id === null ? '' : ` by compaction ${compaction_id}`;
  const about = [
    session_id === own ? `item ${seq}` : `session ${session_id}, item ${seq}`,
    hit.at,
    [kind.replace('_', ' '), tool === null ? role && `of the ${role}` : `of ${tool}`]
      .filter(Boolean)
      .join(' '),
    tool_use_id,
    state === null ? null : `${STANDS[state]}${by}`,
  ];
  const heading = headingOf(about.filter((part) => part !== null));
  return `${heading}\n${underHeading(hit.snippet)}`;
}
