import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DATA_FOLDER, dataFiles, isDataPresent } from '../../../bench/transcripts/data-files.ts';
import { checkSummary, type SummaryDemand } from '../../../src/domain/compaction/summary-check.ts';
import { loadTemplates } from '../../../src/workers/templates.ts';

const templates = loadTemplates();

function demand(template: SummaryDemand['template'], covered_tokens: number): SummaryDemand {
  return {
    template,
    has_instructions: false,
    asked: `${templates.system.text}\n${templates.summary[template].text}`,
    covered_tokens,
    is_cut_off: false,
    count: (text) => Math.ceil(Buffer.byteLength(text) / 4),
  };
}

/** The summaries that Claude Code wrote into its own transcripts: without the first sentences. */
function recordedSummaries(): string[] {
  return dataFiles(['claude-code/']).flatMap((path) => {
    const bytes = readFileSync(join(DATA_FOLDER, path));
    const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
    return text.split('\n').flatMap((line) => {
      if (!line.includes('"isCompactSummary":true')) return [];
      const content: unknown = JSON.parse(line).message.content;
      return typeof content === 'string' ? [content] : [];
    });
  });
}

/** The first line under each heading. */
function shortened(summary: string): string {
  const lines = summary.slice(summary.indexOf('\nSummary:\n') + 10).split('\n');
  const isHeading = (line: string | undefined) => /^\d+\. /.test(line ?? '');
  return lines.filter((line, n) => isHeading(line) || isHeading(lines[n - 1])).join('\n');
}

describe.skipIf(!isDataPresent())('summaries that were really written', () => {
  const COVERED = 155_000;
  const PROBES: [string, (summary: string) => string, SummaryDemand['template'], number][] = [
    ['as written', (text) => text, 'nine-sections', 1],
    ['as written, for a handoff', (text) => text, 'handoff', 1],
    ['one line a section', shortened, 'nine-sections', 1],
    ['in Markdown', (text) => text.replace(/^(\d+)\. (.*):$/gm, '## $2'), 'nine-sections', 1],
    ['in bold', (text) => text.replace(/^(\d+\. .*):$/gm, '**$1**'), 'nine-sections', 1],
    [
      'with titles in another language',
      (text) => text.replace(/^(\d+)\. .*:$/gm, '$1. Abschnitt $1:'),
      'nine-sections',
      1,
    ],
    [
      'the first tenth',
      (text) => text.slice(text.indexOf('\nSummary:\n') + 10).slice(0, 700),
      'nine-sections',
      0,
    ],
    ['the first sentence', (text) => text.slice(0, 80), 'handoff', 0],
  ];

  it.each(PROBES)('%s', (name, change, template, share) => {
    const summaries = recordedSummaries();
    expect(summaries.length).toBeGreaterThanOrEqual(10);
    const taken = summaries.filter(
      (summary) => checkSummary(change(summary), demand(template, COVERED)).ok,
    );
    console.log(`${name}, ${template}: ${taken.length} of ${summaries.length} accepted`);
    if (share === 1) expect(taken).toHaveLength(summaries.length);
    else expect(taken.length).toBeLessThanOrEqual(1);
  });
});

/** What models write that go on with the conversation, long enough to pass for a handoff. */
const LONG = Array.from({ length: 24 }, (_, n) => `src/part-${n}/handler.ts`).join(' ');
const OTHERS: [string, string, string][] = [
  ['a call as JSON', JSON.stringify({ name: 'Bash', arguments: { command: LONG } }), 'tool_call'],
  [
    'calls of OpenAI in a fence',
    `\`\`\`json\n${JSON.stringify([
      { id: 'call_1', type: 'function', function: { name: 'shell', arguments: `{"c":"${LONG}"}` } },
    ])}\n\`\`\``,
    'tool_call',
  ],
  [
    'a call of a served model',
    `<tool_call>\n{"name": "bash", "arguments": {"command": "${LONG}"}}\n</tool_call>`,
    'tool_call',
  ],
  ['a call of Mistral', `[TOOL_CALLS] [{"name":"bash","arguments":{"c":"${LONG}"}}]`, 'tool_call'],
  [
    'a call of Cline',
    `<execute_command>\n<command>ls ${LONG}</command>\n</execute_command>`,
    'tool_call',
  ],
  [
    'unclosed tags after a sentence',
    `I will look at it.\n<function_calls>\n<invoke>\n<command>\n${LONG}\n<parameter>\n<timeout>\n<x_y>`,
    'tool_call',
  ],
  ['a patch', `*** Begin Patch\n*** Update File: src/app.ts\n@@\n-a\n+${LONG}`, 'patch'],
  [
    'a diff',
    `\`\`\`diff\n--- a/src/app.ts\n+++ b/src/app.ts\n@@ -1 +1 @@\n+${LONG}\n\`\`\``,
    'patch',
  ],
  ['a beginning', `Sure! I'll start with the handler, then the test. ${LONG}`, 'reply'],
  ['a beginning in Spanish', `¡Claro! Voy a empezar con el código. ${LONG}`, 'reply'],
  ['a beginning in Chinese', `好的，我先看一下代码。${LONG}`, 'reply'],
  ['a plan', `Sure, here is how I would go on: ${LONG}`, 'reply'],
  [
    'a question with five bold lines',
    `I would be happy to help! Could you tell me more?\n**A**\n**B**\n**C**\n**D**\n**E**\n${LONG}`,
    'reply',
  ],
  ['a question', `Could you please tell me which of these you mean? ${LONG}`, 'reply'],
  [
    'a polite refusal with five headings',
    `Thank you for sharing this.\n\nI cannot summarize it.\n# A\n# B\n# C\n# D\n# E\n${LONG}`,
    'refusal',
  ],
];

/** What begins like one of those and is a summary. */
const REAL: [string, string][] = [
  ['an announcement', `Sure! Here is the summary: the user asked for a port to Rust. ${LONG}`],
  ['another', `I'll start with a summary of the state. The port to Rust is done. ${LONG}`],
  [
    'a snapshot',
    `<state_snapshot>\n<overall_goal>Port it</overall_goal>\n${LONG}\n</state_snapshot>`,
  ],
  ['a summary as JSON', JSON.stringify({ goal: 'Port it', name: 'port', files: [LONG] })],
  ['a quoted call', `The user asked why \`<function_calls>\` shows up in the log. ${LONG}`],
  ['a quoted patch', `The user sent a patch:\n\n*** Begin Patch\n*** End Patch\n${LONG}`],
  ['thanks in the conversation', `The user said: thank you. I cannot repeat it all. ${LONG}`],
];

describe.each(['nine-sections', 'seven-sections', 'handoff'] as const)('for %s', (template) => {
  it.each(OTHERS)('%s is no summary', (_, answer, kind) => {
    expect(checkSummary(answer, demand(template, 8_000))).toEqual({ ok: false, flaw: { kind } });
  });

  it.each(REAL)('%s is none of those', (_, answer) => {
    const given = { ...demand(template, 8_000), has_instructions: true };
    expect(checkSummary(answer, given)).toMatchObject({ ok: true });
  });
});
