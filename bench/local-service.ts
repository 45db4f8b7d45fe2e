import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Target } from '../src/cli/target.ts';
import { readSettings } from '../src/config.ts';
import { type Service, startService } from '../src/service.ts';
import { ScriptedModelServer } from '../test/support/scripted-model-server.ts';

export const SUMMARIZERS = ['extractive', 'model'] as const;
export type SummarizerKind = (typeof SUMMARIZERS)[number];

export type LocalService = Pick<Service, 'store' | 'takeUpPending'> & {
  target: Target;
  databasePath: string;
};

/**
 * Runs `use` against the whole service in this process, over a fresh store in a temporary folder that
 * is removed afterwards. `model` sends summaries to a scripted provider on a socket of this machine.
 */
export async function withLocalService<T>(
  options: {
    summarizer: SummarizerKind;
    synchronous: 'FULL' | 'NORMAL';
    variables?: Record<string, string>;
  },
  use: (service: LocalService) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
  const databasePath = join(folder, 'palimpsest.db');
  const model = options.summarizer === 'model' ? await ScriptedModelServer.start() : null;
  try {
    const environment = {
      DATABASE_URL: `file:${databasePath}`,
      PALIMPSEST_SYNCHRONOUS: options.synchronous,
      ...(model === null ? {} : scriptedModel(model)),
      ...options.variables,
    };
    return await withService(environment, (service) => use({ ...service, databasePath }));
  } finally {
    await model?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The whole service in this process with these settings; summaries from the log unless they differ. */
export async function withService<T>(
  variables: Record<string, string>,
  use: (service: Omit<LocalService, 'databasePath'>) => Promise<T>,
): Promise<T> {
  const environment = {
    LOG_LEVEL: 'error',
    PALIMPSEST_SUMMARIZATION_MODEL: 'extractive',
    ...variables,
  };
  const service = await startService(readSettings(environment), environment);
  const target: Target = {
    request: async (path, init) => service.fetch(new Request(`http://localhost${path}`, init)),
    place: 'this process',
    local: null,
    close: service.stop,
  };
  try {
    const { store, takeUpPending } = service;
    return await use({ target, store, takeUpPending });
  } finally {
    await service.stop();
  }
}

/** Settings that send summaries to a scripted provider. */
export function scriptedModel({ openaiUrl }: ScriptedModelServer): Record<string, string> {
  return {
    // Its window is so large that no input has to be cut.
    PALIMPSEST_SUMMARIZATION_MODEL: 'openai/gpt-4.1-mini',
    OPENAI_API_KEY: 'scripted',
    OPENAI_BASE_URL: openaiUrl,
  };
}
