import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

type Service = {
  fetch: (request: Request) => Promise<Response>;
  stop: () => Promise<void>;
};

/** The built service in this process. */
export async function startOurs(settings: Record<string, string>): Promise<Service> {
  const built = join(import.meta.dirname, '../../dist/in-process.js');
  // A path that is computed: what is built has other types than its source.
  const { startInProcess } = await import(pathToFileURL(built).href);
  return startInProcess({ PALIMPSEST_SUMMARIZATION_MODEL: 'extractive', ...settings });
}

/** Throws with what was answered when the service refuses. */
export async function call(
  { fetch }: Service,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const answer = await fetch(
    new Request(`http://127.0.0.1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text);
}

const ITEMS_PER_APPEND = 500;

export async function appendAll(
  service: Service,
  session: string,
  items: readonly unknown[],
): Promise<void> {
  for (let start = 0; start < items.length; start += ITEMS_PER_APPEND) {
    const body = items.slice(start, start + ITEMS_PER_APPEND);
    await call(service, 'POST', `/sessions/${session}/items`, body);
  }
}
