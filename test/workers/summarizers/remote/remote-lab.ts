import type { Item } from '../../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../../src/domain/policy/config.ts';
import type { Mode, SessionEvent } from '../../../../src/domain/session/events.ts';
import { remoteCompactor } from '../../../../src/workers/summarizers/remote/remote-compactor.ts';
import type { ScriptedModelServer } from '../../../support/scripted-model-server.ts';
import { SessionLab } from '../../../support/session-lab.ts';

/** Sessions that a scripted provider can compact. Not a test file. */

export const MODEL = 'gpt-5.4';

export function message(role: string, text: string, fields: Item = {}): Item {
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return { type: 'message', role, content: [{ type, text }], ...fields };
}

/** A call of a tool and its output, by the Responses API. */
export function call(id: string, output: string): Item[] {
  return [
    { type: 'function_call', call_id: id, name: 'shell', arguments: '{"command":"ls"}' },
    { type: 'function_call_output', call_id: id, output },
  ];
}

/** Room for a real conversation; nothing protected, so that the cut is the end. */
const CONFIG: ConfigOverrides = {
  protected_tokens: null,
  micro_compact_strategy: 'all_older',
  micro_compact_min_tokens_to_save: 500,
  micro_compact_keep_last_n_tools: 0,
};

export async function openRemoteLab(
  server: ScriptedModelServer,
  config: ConfigOverrides = {},
  model: string | null = MODEL,
): Promise<SessionLab> {
  const lab = await SessionLab.open('openai-responses', {
    model,
    context_window: 16_000,
    config: { ...CONFIG, remote_compaction: true, ...config },
  });
  lab.compactRemotely = remoteCompactor({
    OPENAI_API_KEY: 'sk-x',
    OPENAI_BASE_URL: server.openaiUrl,
  });
  return lab;
}

/** Requests a compaction and runs its job until it has ended; answers its id. */
export async function compact(lab: SessionLab, mode: Mode): Promise<string> {
  const requested = await lab.request(mode);
  if (!requested.ok) throw new Error(requested.rejection.detail);
  await workOff(lab, requested.value.id);
  return requested.value.id;
}

/** Runs the job as often as it asks for it, without the waits. */
export async function workOff(lab: SessionLab, id: string): Promise<void> {
  while ((await lab.work(id)).kind === 'retry');
}

/** The steps of a compaction: type, and what tells it from others of the type. */
export async function steps(lab: SessionLab, id: string): Promise<string[]> {
  const events = await lab.events();
  return events.flatMap((event) =>
    'compaction_id' in event.data && event.data.compaction_id === id ? stepOf(event) : [],
  );
}

function stepOf(event: SessionEvent): string[] {
  const name = event.type.replace('compaction.', '');
  switch (event.type) {
    case 'compaction.requested':
    case 'compaction.started':
      return [];
    case 'compaction.completed':
      return [`${event.data.mode} by ${event.data.report.summarizer}`];
    case 'compaction.skipped':
      return [`${name}: ${event.data.reason}`];
    case 'compaction.failed':
      return [`${name}: ${event.data.message}${event.data.will_retry ? ', to go on' : ''}`];
    default:
      return [name];
  }
}
