import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DATA_FOLDER, dataFiles, isDataPresent } from '../../bench/transcripts/data-files.ts';
import { readSettings } from '../../src/config.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, call, ofTokens, result, tool, user } from '../support/items.ts';

const WINDOW = 200_000;

describe('B9: claude-code as real sessions are', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApi();
  });
  afterEach(() => api.close());

  /** The ids of these results that a micro-compaction clears; after them stand three that it keeps. */
  async function clearedOf(results: readonly Item[]): Promise<string[]> {
    const kept = ['a', 'b', 'c'].flatMap((id) => tool(id, 'Read', 10_000));
    const items = [user('Go.'), ...results, ...kept, assistant('Read.')];
    await send(api, 'POST', '/sessions/s/items', { body: items });
    const reply = await send(api, 'POST', '/sessions/s/compact', { body: { mode: 'micro' } });
    await api.work(api.dispatched.at(-1));
    const path = `/sessions/s/compactions/${reply.body.id}`;
    const { cleared_tool_results: edits } = (await send(api, 'GET', path)).body;
    return (edits as { tool_use_id: string }[]).map((edit) => edit.tool_use_id);
  }

  it.each([
    [0, 187_000],
    [20_000, 167_000],
    [32_000, 155_000],
  ])(
    'with %i tokens for the answer it compacts by itself from %i on',
    async (max_output_tokens, threshold) => {
      const config = { max_output_tokens };
      const body = { id: 's', profile: 'claude-code', context_window: WINDOW, config };
      await send(api, 'POST', '/sessions', { body });
      const usage = (tokens: number) => ({ usage: { input_tokens: tokens, output_tokens: 0 } });
      const post = async (tokens: number) => {
        const items = [user(ofTokens(3_000)), assistant('ok', usage(tokens))];
        return (await send(api, 'POST', '/sessions/s/items', { body: items })).body.compaction;
      };
      expect(await post(threshold - 1)).toBeNull();
      expect(await post(threshold)).toMatchObject({ trigger: 'auto' });
    },
  );

  it('a window without room for the answer is refused with the figures', async () => {
    const config = { max_output_tokens: 190_000 };
    const body = { id: 's', profile: 'claude-code', context_window: WINDOW, config };
    const reply = await send(api, 'POST', '/sessions', { body });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('max_output_tokens 190000');
  });

  it('the variable of the real product sets the percentage, ours wins', () => {
    const theirs = { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '80' };
    expect(readSettings(theirs).overrides.auto_compact_pct_override).toBe(80);
    const both = { ...theirs, AUTOCOMPACT_PCT_OVERRIDE: '70' };
    expect(readSettings(both).overrides.auto_compact_pct_override).toBe(70);
  });

  it('results of Edit and failed ones are cleared, reports of Task stay', async () => {
    const body = { id: 's', profile: 'claude-code', context_window: WINDOW };
    await send(api, 'POST', '/sessions', { body });
    const results = [
      ...tool('task', 'Task', 30_000),
      ...tool('edit', 'Edit', 30_000),
      call('failed', 'Bash'),
      result('failed', ofTokens(30_000), { is_error: true }),
    ];
    expect(await clearedOf(results)).toEqual(['edit', 'failed']);
  });

  it.runIf(isDataPresent())(
    'every result that recorded sessions cleared may be cleared here, others not',
    async () => {
      const line = z.looseObject({
        subtype: z.string().optional(),
        message: z.looseObject({ content: z.unknown() }).optional(),
        microcompactMetadata: z.looseObject({ compactedToolIds: z.array(z.string()) }).optional(),
      });
      const block = z.looseObject({
        type: z.literal('tool_use'),
        id: z.string(),
        name: z.string(),
      });
      const cleared = new Set<string>();
      for (const file of dataFiles(['claude-code/'])) {
        const text = gunzipSync(readFileSync(join(DATA_FOLDER, file))).toString('utf8');
        const names = new Map<string, string>();
        for (const json of text.split('\n').filter((one) => one.trim() !== '')) {
          const { message, subtype, microcompactMetadata } = line.parse(JSON.parse(json));
          for (const one of Array.isArray(message?.content) ? message.content : []) {
            const use = block.safeParse(one);
            if (use.success) names.set(use.data.id, use.data.name);
          }
          if (subtype !== 'microcompact_boundary') continue;
          for (const id of microcompactMetadata?.compactedToolIds ?? [])
            cleared.add(names.get(id) ?? '?');
        }
      }
      expect([...cleared].toSorted()).toEqual(['Bash', 'Edit', 'Glob', 'Read']);
      const body = { id: 's', profile: 'claude-code', context_window: WINDOW };
      await send(api, 'POST', '/sessions', { body });
      const names = ['Task', 'Skill', 'TodoWrite', ...cleared];
      const results = names.flatMap((name) => tool(name, name, 12_000));
      expect(await clearedOf(results)).toEqual([...cleared]);
    },
  );
});
