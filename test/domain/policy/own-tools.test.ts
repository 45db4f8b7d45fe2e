import { describe, expect, it } from 'vitest';
import { isOwnTool, qualifiedName } from '../../../src/domain/policy/own-tools.ts';

describe('our own tools', () => {
  it.each([
    'mcp__palimpsest__recall',
    'mcp__palimpsest__search_history',
    'palimpsest.recall',
    'palimpsest__context_status',
    'mcp_palimpsest_compact',
    'palimpsest/pin',
    'mcp--palimpsest-dev--recall',
    'MCP__Palimpsest__Recall',
  ])('are known as %s', (name) => {
    expect(isOwnTool(name)).toBe(true);
  });

  it.each([
    'recall',
    'mcp__memory__recall',
    'mcp__palimpsest__read',
    'mcp__palimpsest__recall__all',
    'palimpsestrecall',
    `palimpsest.${'x'.repeat(300)}.recall`,
    '',
  ])('are not taken for %j', (name) => {
    expect(isOwnTool(name)).toBe(false);
  });

  it('are known of Codex, which names the server in a field of its own', () => {
    const named = (namespace: string) =>
      qualifiedName({ name: 'recall', source: { type: 'function_call', namespace } });
    expect(named('mcp__palimpsest')).toBe('mcp__palimpsest__recall');
    expect(named('mcp__memory')).toBe('recall');
  });

  it('are known where a script of Codex calls them', () => {
    const scripted = (input: string) =>
      qualifiedName({ name: 'exec', source: { type: 'custom_tool_call', name: 'exec', input } });
    expect(scripted('text(await tools.mcp__palimpsest__recall({seq: 3}))')).toBe(
      'mcp__palimpsest__recall',
    );
    expect(scripted('text(await tools.exec_command({cmd: "grep palimpsest a"}))')).toBe('exec');
  });
});
