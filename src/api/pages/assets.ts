import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Where the pages lie that are not `/` itself. */
export const BASE = '/inspect';

const TYPES = {
  'inspector.css': 'text/css; charset=utf-8',
  'inspector.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

export type AssetName = keyof typeof TYPES;
type Asset = { name: AssetName; type: string; text: string; url: string };

/** The files that pages load. Their addresses change with what they say, so that they can be kept for long. */
export const ASSETS: readonly Asset[] = (Object.keys(TYPES) as AssetName[]).map((name) => {
  const text = readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 10);
  return { name, type: TYPES[name], text, url: `${BASE}/assets/${digest}/${name}` };
});

export function assetUrl(name: AssetName): string {
  return ASSETS.find((asset) => asset.name === name)?.url ?? '';
}
