import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { GatewayLab } from '../../support/gateway/lab.ts';

/** Requests of real clients, which the project does not hold; see CONTRIBUTING. */
const FOLDER = join(import.meta.dirname, '../../../../shared/recordings');

const recorded = z.object({
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.json(),
  }),
});

const folders = existsSync(FOLDER)
  ? readdirSync(FOLDER, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  : [];

/** What the test's own client sets. */
const OF_CONNECTION =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|upgrade|sec-websocket.*)$/;

describe.skipIf(folders.length === 0)(
  `recorded clients${folders.length === 0 ? ' (../shared/recordings is not there)' : ''}`,
  () => {
    it.each(folders)('%s passes through byte for byte', async (folder) => {
      const lab = await GatewayLab.open();
      try {
        for (const { method, url, headers, body } of requestsOf(join(FOLDER, folder))) {
          if (method !== 'POST' || url.startsWith('/v1/responses/compact')) continue;
          if (isAnsweredHere(body)) continue;
          // Indented, as no program would write it anew.
          const raw = JSON.stringify(body, null, 1);
          const before = lab.provider.received.length;
          const answer = await lab.post(url, raw, kept(headers));
          if (raw.includes('"pal1.') && /\/responses(?:\/input_tokens)?(?:\?|$)/.test(url)) {
            // Sealed by another service, under a secret that this one does not have.
            expect(answer.status).toBe(400);
            expect(answer.text).toMatch(/input\[\d+\]\.encrypted_content cannot be used/);
            continue;
          }
          expect(answer.status, answer.text).toBe(200);
          if (raw.includes('CRITICAL: Respond with TEXT ONLY')) {
            // Claude Code asks for a summary: the log has one.
            expect(answer.text).toContain('<summary>');
            expect(lab.provider.received.length).toBe(before);
            continue;
          }
          expect(lab.provider.received.length).toBe(before + 1);
          const sent = lab.provider.received.at(-1);
          expect(sent?.raw.toString()).toBe(raw);
          expect(sent?.url).toBe(url);
          expect(answer.headers.get('palimpsest-status')).toBe('forwarded');
          for (const [name, value] of Object.entries(kept(headers))) {
            const isOurs = name.startsWith('x-palimpsest-');
            expect(sent?.headers[name]).toBe(isOurs ? undefined : value);
          }
        }
      } finally {
        await lab.close();
      }
    });
  },
);

/** Compactions that clients ask for, and threads, do not go upstream as they came. */
function isAnsweredHere(body: z.infer<typeof recorded>['request']['body']): boolean {
  const text = JSON.stringify(body);
  return (
    text.includes('"compaction_trigger"') ||
    text.includes('"thread":{') ||
    text.includes('Your task is to create a detailed summary')
  );
}

function kept(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !OF_CONNECTION.test(name)),
  );
}

function requestsOf(folder: string): z.infer<typeof recorded>['request'][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\d{3}-[A-Z]+-.*\.json$/.test(name))
    .sort()
    .map((name) => recorded.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))).request);
}
