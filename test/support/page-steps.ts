import type { Json } from '../../src/domain/json.ts';
import { isJsonObject } from '../../src/domain/json.ts';

/** A block of shell commands of a page, and the JSON answer that the page shows after it, if any. */
export type TourStep = { commands: string; shown: string | null };

/** The bash blocks of a Markdown page, in order, each with the `json` block that follows it directly. */
export function tourSteps(markdown: string): TourStep[] {
  const steps: TourStep[] = [];
  for (const [, language, text = ''] of markdown.matchAll(/^```(bash|json)\n(.*?)^```$/gms)) {
    const last = steps.at(-1);
    if (language === 'bash') steps.push({ commands: text, shown: null });
    else if (last !== undefined && last.shown === null) last.shown = text;
    else throw new Error('the page shows an answer without a command in front of it');
  }
  return steps;
}

/**
 * Where an answer differs from the one that a page shows, one sentence each. The page may abbreviate:
 * `…` at the end of an object, a list or a string stands for any more of it.
 */
export function differences(shown: string, answer: string): string[] {
  const expected: Json = JSON.parse(
    shown.replaceAll(/,?\s*…(?=\s*\})/g, '').replaceAll(/…(?=\s*\])/g, '"…"'),
  );
  const isWhole = !shown.includes('…');
  return compare(expected, JSON.parse(answer), '$', isWhole);
}

function compare(shown: Json, actual: Json | undefined, path: string, isWhole: boolean): string[] {
  if (Array.isArray(shown) && Array.isArray(actual)) {
    const isOpen = shown.at(-1) === '…';
    const entries = isOpen ? shown.slice(0, -1) : shown;
    const isTooLong = !isOpen && actual.length > entries.length;
    return [
      ...(isTooLong ? [`${path} has ${actual.length} entries, not ${entries.length}`] : []),
      ...entries.flatMap((entry, i) => compare(entry, actual[i], `${path}[${i}]`, isWhole)),
    ];
  }
  if (isJsonObject(shown) && actual !== undefined && isJsonObject(actual)) {
    const unseen = isWhole ? Object.keys(actual).filter((key) => !(key in shown)) : [];
    return [
      ...unseen.map((key) => `${path}.${key} is not shown`),
      ...Object.entries(shown).flatMap(([key, value]) =>
        compare(value, actual[key], `${path}.${key}`, isWhole),
      ),
    ];
  }
  if (typeof shown === 'string' && typeof actual === 'string' && shown.endsWith('…')) {
    if (actual.startsWith(shown.slice(0, -1))) return [];
  }
  return JSON.stringify(shown) === JSON.stringify(actual)
    ? []
    : [`${path} is ${JSON.stringify(actual)?.slice(0, 200)}, not ${JSON.stringify(shown)}`];
}

/** What the tour needs of curl, for machines that have Node but no curl. */
export const CURL_SUBSTITUTE = `#!/usr/bin/env node
const headers = {};
let url, body;
const args = process.argv.slice(2);
for (let i = 0; i < args.length; i++) {
  if (args[i] === '-H') {
    const [name, ...value] = args[++i].split(': ');
    headers[name] = value.join(': ');
  } else if (args[i] === '-d') body = args[++i];
  else if (!args[i].startsWith('-')) url = args[i];
}
fetch(url, { method: body === undefined ? 'GET' : 'POST', headers, body })
  .then((response) => response.text())
  .then((text) => process.stdout.write(text));
`;
