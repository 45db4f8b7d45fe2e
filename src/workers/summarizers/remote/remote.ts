import { remoteInput, remoteModel } from '../../../domain/compaction/remote.ts';
import { apiError } from '../failures.ts';
import type { Summarizer, WrittenItems } from '../summarizer.ts';
import type { RemoteCompactor } from './remote-compactor.ts';

/** Has the provider of the conversation compact it (SPEC section 13); asks once. */
export function remoteSummarizer(compact: RemoteCompactor): Summarizer<WrittenItems> {
  return {
    kind: 'asking',
    name: 'remote',
    summarize: async ({ plan, view, config, instructions, focus, ...of }, signal) => {
      const { model, reason } = remoteModel({ format: view.format, model: of.model });
      // The session may have been configured anew since it was asked for.
      if (model === null) return apiError(`remote compaction is not available: ${reason}`, false);
      const standing = remoteInput(view, plan);
      const texts = [standing.instructions, instructions, focus].filter((text) => text != null);
      const answer = await compact({
        model,
        input: standing.input,
        instructions: texts.length === 0 ? null : texts.join('\n\n'),
        timeout_ms: config.summarizer_timeout_seconds * 1000,
        signal,
      });
      const name = `openai/${model}`;
      if (!answer.ok) return { ...answer, model: name };
      const { output: items, usage } = answer;
      return { ok: true, kind: 'items', items, model: name, usage };
    },
  };
}
