import { BASE } from './assets.ts';

export function sessionPath(id: string): string {
  return `${BASE}/sessions/${encodeURIComponent(id)}`;
}

export function compactionPath(id: string, compaction: string): string {
  return `${sessionPath(id)}/compactions/${encodeURIComponent(compaction)}`;
}

export function itemPath(id: string, seq: number): string {
  return `${sessionPath(id)}/items/${seq}`;
}

/** A path with a query of the fields that are given. */
export function withQuery(
  path: string,
  query: Record<string, string | number | null | undefined>,
): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) given.set(name, String(value));
  }
  return given.size === 0 ? path : `${path}?${given}`;
}
