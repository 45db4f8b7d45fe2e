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
