import type { HookEvent } from './hook-settings.ts';

/** What a hook is told about the compaction that it is called for. */
export type HookCall = {
  /** Whose session it is: ids of sessions are unique within a tenant only. */
  tenant: string;
  session_id: string;
  compaction_id: string;
  is_automatic: boolean;
  /** PreCompact: what the client asked for. */
  instructions: string | null;
  /** PostCompact: the summary as it stands in the context. */
  summary: string | null;
};

/** The body of a call (SPEC section 16), as JSON. A compaction by a tool counts as manual. */
export function hookPayload(event: HookEvent, call: HookCall): string {
  const { tenant, session_id, compaction_id } = call;
  const common = { hook_event_name: event, tenant, session_id, compaction_id };
  const trigger = call.is_automatic ? 'auto' : 'manual';
  switch (event) {
    case 'PreCompact':
      return JSON.stringify({ ...common, trigger, custom_instructions: call.instructions });
    case 'SessionStart':
      return JSON.stringify({ ...common, source: 'compact' });
    case 'PostCompact':
      return JSON.stringify({ ...common, trigger, compact_summary: call.summary });
    default:
      return event satisfies never;
  }
}
