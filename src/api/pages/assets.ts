import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Where the pages lie that are not `/` itself. */
export const BASE = '/inspect';

/** What pages load, and the files that it is made of. */
const FILES = {
  'inspector.css': {
    type: 'text/css; charset=utf-8',
    files: ['1-base.css', '2-parts.css', '3-pictures.css', '4-session.css', '5-narrow.css'],
  },
  'inspector.js': { type: 'text/javascript; charset=utf-8', files: ['inspector.js'] },
  'icon.svg': { type: 'image/svg+xml', files: ['icon.svg'] },
} as const;

type AssetName = keyof typeof FILES;

/** Addresses change with what is there, so that it can be kept for long. */
export const ASSETS = Object.entries(FILES).map(([name, { type, files }]) => {
  const text = files
    .map((file) => readFileSync(new URL(`assets/${file}`, import.meta.url), 'utf8'))
    .join('\n');
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 10);
  return { name, type, text, url: `${BASE}/assets/${digest}/${name}` };
});

export function assetUrl(name: AssetName): string {
  return ASSETS.find((asset) => asset.name === name)?.url ?? '';
}
