import { changedContext } from '../../../app/changed-context.ts';
import type { readCompactionPage } from '../../../app/compaction-page.ts';
import type { Accepted } from '../../../domain/session/errors.ts';
import type { Visitor } from '../access.ts';
import { compactionPath } from '../paths.ts';
import { Confirm } from './confirm.tsx';

type Page = Accepted<Awaited<ReturnType<typeof readCompactionPage>>>;

/** What can be done about a compaction as it is now. */
export function CompactionActions({
  visitor,
  id,
  page: { detail, built_over },
}: {
  visitor: Visitor;
  id: string;
  page: Page;
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
  if (!changedContext(detail) || detail.reverted_at !== null) return null;
  if (built_over !== null) return <BuiltOver id={id} base={built_over} />;
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

/** Undone is what came last, as with the layers of a wall. */
function BuiltOver({ id, base }: { id: string; base: NonNullable<Page['built_over']> }) {
  return (
    <p class="notice">
      {base.compaction_id === null ? (
        'It cannot be undone any more: the client has compacted its own history since, and the context is built on that.'
      ) : (
        <>
          To undo it, undo <a href={compactionPath(id, base.compaction_id)}>the later one</a> first:
          the context is built on that.
        </>
      )}
    </p>
  );
}
