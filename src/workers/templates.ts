import { readFileSync } from 'node:fs';
import type { Templates } from '../domain/compaction/prompt.ts';
import type { Template } from '../domain/policy/template.ts';

/** The folder lies at the same distance from `src/workers` and from `dist/workers`. */
const FOLDER = new URL('../../templates/', import.meta.url);

/**
 * Reads the prompt files from disk, once at start. Throws when one is missing or when its first line
 * does not state its version as `<!-- name@number -->`.
 */
export function loadTemplates(): Templates {
  return {
    system: loadTemplate('system'),
    summary: {
      'nine-sections': loadTemplate('nine-sections'),
      'seven-sections': loadTemplate('seven-sections'),
      handoff: loadTemplate('handoff'),
    },
    packet: loadTemplate('packet'),
    continuation: loadTemplate('continuation'),
  };
}

function loadTemplate(name: string): Template {
  const file = readFileSync(new URL(`${name}.md`, FOLDER), 'utf8');
  const [head = '', ...body] = file.split(/\r?\n/);
  const version = /^<!-- (\S+@\d+) -->$/.exec(head)?.[1];
  if (version === undefined || !version.startsWith(`${name}@`)) {
    throw new Error(`templates/${name}.md must begin with the line "<!-- ${name}@1 -->"`);
  }
  return { version, text: body.join('\n').trim() };
}
