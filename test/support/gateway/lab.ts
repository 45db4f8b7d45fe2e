import type { AppDependencies } from '../../../src/api/app-dependencies.ts';
import type { SessionRef, StoredEvent } from '../../../src/app/ports/event-store.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { extractive } from '../../../src/workers/summarizers/extractive.ts';
import type { SummarizerChoice } from '../../../src/workers/summarizers/registry.ts';
import { type ApiServer, startApi } from '../api-server.ts';
import { ScriptedProvider } from './provider.ts';

/** The gateway in front of a scripted provider; compactions run at once. */
export class GatewayLab {
  readonly provider: ScriptedProvider;
  readonly api: ApiServer;

  private constructor(provider: ScriptedProvider, api: ApiServer) {
    this.provider = provider;
    this.api = api;
  }

  static async open(
    overrides: Partial<AppDependencies> = {},
    summarizer: SummarizerChoice = extractive,
    wait_seconds = 20,
  ): Promise<GatewayLab> {
    const provider = await ScriptedProvider.start();
    const upstreams = {
      anthropic: provider.url,
      openai: `${provider.url}/v1`,
      other: provider.url,
    };
    const jobs: Parameters<AppDependencies['dispatch']>[0][] = [];
    let isOpen = true;
    const api: ApiServer = await startApi(
      {
        gateway: { upstreams, wait_seconds },
        dispatch: (job) => {
          jobs.push(job);
          setImmediate(() => {
            if (isOpen) api.work(jobs.shift()).catch(() => {});
          });
        },
        ...overrides,
      },
      summarizer,
    );
    const close = api.close;
    api.close = async () => {
      isOpen = false;
      await close();
    };
    return new GatewayLab(provider, api);
  }

  get url(): string {
    return this.api.url;
  }

  async close(): Promise<void> {
    await this.api.close();
    await this.provider.close();
  }

  async post(
    path: string,
    body: object | string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: Headers; text: string; session: string }> {
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });
    const session = response.headers.get('palimpsest-session') ?? '';
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      session,
    };
  }

  events(session_id: string): Promise<StoredEvent[]> {
    return this.api.deps.store.events(refOf(session_id));
  }

  /** The items that a session has taken. */
  async items(session_id: string): Promise<Item[]> {
    const events = await this.events(session_id);
    return events.flatMap((event) => (event.type === 'item.appended' ? [event.data.item] : []));
  }
}

export function refOf(session_id: string): SessionRef {
  return { tenant: 'local', session_id };
}
