import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { codecFor } from '../../src/domain/items/codecs.ts';
import type { Part } from '../../src/domain/items/item.ts';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import { type Transcript, TranscriptError } from '../../src/importers/transcript.ts';
import { sum } from './fixtures.ts';

const DATA = new URL('../../../shared/data/', import.meta.url);
const isPresent = existsSync(new URL('MANIFEST.json', DATA));

const manifestSchema = z.object({
  files: z.array(
    z.object({
      file: z.string(),
      format: z.string(),
      entries: z.number(),
      messages: z.number().optional(),
      tool_calls: z.number(),
      tool_results: z.number(),
      conversations: z.number().optional(),
      compactions: z.number().optional(),
      microcompactions: z.number().optional(),
    }),
  ),
});
type Listed = z.infer<typeof manifestSchema>['files'][number];

const files = isPresent
  ? manifestSchema.parse(JSON.parse(readFileSync(new URL('MANIFEST.json', DATA), 'utf8'))).files
  : [];
const transcripts = files.filter((file) => file.format !== 'beam_probing_json');
const of = (format: string): Listed[] => files.filter((file) => file.format === format);

/** Every kind of entry that may be left out, by source. Another one has to be looked at first. */
const KNOWN_KINDS: Record<string, RegExp> = {
  'claude-code':
    /^(summary|file-history-snapshot|progress|queue-operation|last-prompt|mode|permission-mode|pr-link|compact_boundary|recorded_summary|system:(stop_hook_summary|turn_duration|microcompact_boundary|local_command)|attachment:(hook_success|hook_system_message|goal_status|deferred_tools_delta|agent_listing_delta|mcp_instructions_delta|skill_listing|command_permissions))$/,
  codex:
    /^(session_meta|turn_context|compacted|event_msg:(task_started|task_complete|turn_aborted|user_message|agent_message|token_count|context_compacted|exec_command_end|patch_apply_end|web_search_end))$/,
  pi: /^(session|thinking_level_change|model_change|recorded_compaction|empty_message:(aborted|error))$/,
  'openai-chat':
    /^(role:exit|info|trajectory_format|instance_id|id|task_id|trial|seed|reward|reward_info|timestamp|start_time|end_time|duration|termination_reason|agent_cost|user_cost)$/,
  'swe-agent': /^(environment|trajectory|info|replay_config)$/,
  'copilot-cli':
    /^(session\.(start|model_change|info)|assistant\.turn_(start|end)|tool\.execution_start|hook\.(start|end)|repeated_system_message|abort)$/,
  'gemini-cli': /^(message:info|sessionId|projectHash|startTime|lastUpdated)$/,
  beam: /^$/,
};

function bytesOf(file: string): Uint8Array {
  return readFileSync(new URL(file, DATA));
}

function textOf(file: string): string {
  const bytes = bytesOf(file);
  return new TextDecoder().decode(file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
}

function read(file: string): Transcript[] {
  return readTranscripts(file, bytesOf(file));
}

function total(found: Transcript[]): number {
  return found.reduce((n, { items, skipped }) => n + items.length + sum(skipped), 0);
}

function parts(transcript: Transcript): Part[] {
  const codec = codecFor(transcript.format);
  return transcript.items.flatMap((item) => {
    const normalised = codec.normalise(item);
    return normalised.kind === 'message' ? normalised.parts : [];
  });
}

function toolCounts(found: Transcript[]): { calls: number; results: number; orphans: string[] } {
  let calls = 0;
  let results = 0;
  const orphans: string[] = [];
  for (const transcript of found) {
    const called = new Set<string>();
    for (const part of parts(transcript)) {
      if (part.kind === 'tool_call') {
        calls += 1;
        called.add(part.id);
      } else if (part.kind === 'tool_result') {
        results += 1;
        if (!called.has(part.call_id)) orphans.push(part.call_id);
      }
    }
  }
  return { calls, results, orphans };
}

/** Fields of the records beside their messages, which are entries too, an array by its elements. */
function otherFields(records: object[], messages: string): number {
  return records
    .flatMap((record) => Object.entries(record))
    .filter(([key]) => key !== messages)
    .reduce((n, [, value]) => n + (Array.isArray(value) ? Math.max(1, value.length) : 1), 0);
}

describe('the recorded transcripts', () => {
  it(isPresent ? 'are there' : 'ARE ABSENT: nothing of this file is checked', () => {
    if (!isPresent) console.warn(`No recorded transcripts at ${DATA.pathname}.`);
    expect(transcripts.length > 0).toBe(isPresent);
  });

  it.each(transcripts)('$file: every kind that is left out is known', ({ file }) => {
    for (const { source, skipped } of read(file)) {
      const unknown = Object.keys(skipped).filter((kind) => !KNOWN_KINDS[source]?.test(kind));
      expect(unknown).toEqual([]);
    }
  });

  it.each(transcripts.filter(({ file }) => /\/(cc|cx|pi|copilot)-/.test(file)))(
    '$file: items and skipped lines make up the file',
    ({ file, entries }) => {
      expect(total(read(file))).toBe(entries);
    },
  );

  it.each(of('beam_chat_json'))('$file: items are the messages', ({ file, messages }) => {
    const [chat] = read(file);
    expect(chat?.items.length).toBe(messages);
    expect(chat?.skipped).toEqual({});
  });

  it.each([
    ...of('mini_swe_agent_json').map((listed) => ({ ...listed, messagesKey: 'messages' })),
    ...of('swe_agent_traj').map((listed) => ({ ...listed, messagesKey: 'history' })),
  ])('$file: messages and other fields make up the file', ({ file, messagesKey }) => {
    const document = JSON.parse(textOf(file));
    const expected = document[messagesKey].length + otherFields([document], messagesKey);
    expect(total(read(file))).toBe(expected);
  });

  it.each([
    ...of('tau_bench_jsonl').map((listed) => ({ ...listed, messagesKey: 'traj' })),
    ...of('tau2_bench_jsonl').map((listed) => ({ ...listed, messagesKey: 'messages' })),
  ])('$file: one conversation a line', ({ file, entries, conversations, messagesKey }) => {
    const found = read(file);
    const records = textOf(file)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    expect(found).toHaveLength(conversations ?? 0);
    expect(found.reduce((n, { items }) => n + items.length, 0)).toBe(entries);
    expect(total(found)).toBe(entries + otherFields(records, messagesKey));
  });

  it.each(of('gemini_cli_json'))('$file: messages and results', ({ file, ...listed }) => {
    const found = read(file);
    const fields = otherFields([JSON.parse(textOf(file))], 'messages');
    expect(total(found)).toBe(listed.entries + listed.tool_results + fields);
  });

  // In tau2 the user calls tools too, which only text can say; SWE-agent's manifest counts the
  // steps of runs without tool ids; web searches of Codex are calls that have no output of their
  // own; what the user ran in a shell beside pi is a result for the manifest and text for us.
  it.each(
    transcripts.filter(
      ({ format }) => format !== 'tau2_bench_jsonl' && format !== 'swe_agent_traj',
    ),
  )('$file: calls and results are those of the manifest, each result after its call', (listed) => {
    const found = read(listed.file);
    const searches = found
      .flatMap(({ items }) => items)
      .filter((item) => item.type === 'web_search_call').length;
    const byUser = textLines(found).filter((text) =>
      text.startsWith('The user ran a shell'),
    ).length;
    const { calls, results, orphans } = toolCounts(found);
    expect(orphans).toEqual([]);
    expect(results).toBe(listed.tool_results - byUser);
    expect(calls).toBe(listed.tool_calls - byUser - searches);
  });

  it.each(of('tau2_bench_jsonl'))('$file: calls of both sides', ({ file, ...listed }) => {
    const found = read(file);
    const { calls, results, orphans } = toolCounts(found);
    const texts = textLines(found);
    expect(orphans).toEqual([]);
    expect(calls + texts.filter((text) => text.startsWith('[The user calls')).length).toBe(
      listed.tool_calls,
    );
    expect(results + texts.filter((text) => text.startsWith('[Result of the')).length).toBe(
      listed.tool_results,
    );
  });

  it.each(of('claude_code_jsonl'))('$file: what the tool compacted', ({ file, ...listed }) => {
    const [session] = read(file);
    expect(session?.skipped.compact_boundary ?? 0).toBe(listed.compactions);
    expect(session?.skipped.recorded_summary ?? 0).toBe(listed.compactions);
    expect(session?.skipped['system:microcompact_boundary'] ?? 0).toBe(listed.microcompactions);
  });

  it.each(of('codex_rollout_jsonl'))('$file: what the tool compacted', ({ file, ...listed }) => {
    expect(read(file)[0]?.skipped.compacted ?? 0).toBe(listed.compactions);
  });

  it.each(of('beam_probing_json'))('$file is no transcript', ({ file }) => {
    expect(() => read(file)).toThrow(TranscriptError);
    expect(() => read(file)).toThrow(/is not a transcript: it holds probing questions/);
  });
});

function textLines(found: Transcript[]): string[] {
  return found
    .flatMap(parts)
    .flatMap((part) => (part.kind === 'text' ? part.text.split('\n') : []));
}
