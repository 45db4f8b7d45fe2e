import type { readCompactionPage } from '../../../app/compaction-page.ts';
import type { Accepted } from '../../../domain/session/errors.ts';
import type { Visitor } from '../access.ts';
import { compactionPath } from '../paths.ts';
import { Confirm } from './confirm.tsx';

/** What can be done about a compaction as it is now. */
export function CompactionActions({
  visitor,
  id,
  detail,
}: {
  visitor: Visitor;
  id: string;
  detail: Accepted<Awaited<ReturnType<typeof readCompactionPage>>>['detail'];
}) {
  const path = compactionPath(id, detail.id);
  const common = { visitor };
  if (detail.status !== 'ended') {
    return (
      <div class="actions">
        <Confirm
          {...common}
          id="cancel"
          label="Cancel"
          action={`${path}/cancel`}
          does="It stops, and the context stays as it is."
          kind="danger"
        />
      </div>
    );
  }
  if (detail.outcome === 'proposed') {
    return (
      <div class="actions">
        <Confirm
          {...common}
          id="apply"
          label="Apply"
          action={`${path}/apply`}
          does="The context becomes what is shown on the right, with what was said since behind it. You can undo that."
        />
        <Confirm
          {...common}
          id="discard"
          label="Discard"
          action={`${path}/discard`}
          does="The proposal is dropped, and the context stays as it is."
          kind="danger"
        />
      </div>
    );
  }
  const isInPlace =
    detail.outcome === 'micro_compacted' ||
    detail.outcome === 'full_compacted' ||
    detail.outcome === 'remote_compacted';
  if (!isInPlace || detail.reverted_at !== null) return null;
  return (
    <div class="actions">
      <Confirm
        {...common}
        id="revert"
        label="Undo this compaction"
        action={`${path}/revert`}
        does="The context becomes what it would be without it, with everything said since. The log keeps both: this is one more event."
        kind="danger"
      />
    </div>
  );
}
