import type { Visitor } from '../access.ts';
import { sessionPath } from '../paths.ts';
import { Confirm } from './confirm.tsx';
import { count } from './figures.tsx';
import { PinText } from './pins.tsx';

export const COMPACT_MODES = ['auto', 'micro', 'full'] as const;

const MODE_WORDS = {
  auto: 'as the session decides',
  micro: 'clear old tool results only',
  full: 'summarise',
} as const;

/** What can be done about a session at a version. */
export function SessionActions({
  visitor,
  id,
  version,
}: {
  visitor: Visitor;
  id: string;
  version: number;
}) {
  const path = sessionPath(id);
  return (
    <div class="actions">
      <Confirm
        id="compact"
        label="Compact now"
        action={`${path}/compact`}
        visitor={visitor}
        does="Makes room in the context now. The log keeps everything, and a click undoes it."
      >
        <CompactFields prefix="compact" />
        <label>
          <input type="checkbox" name="propose" value="yes" /> Only propose it: nothing changes
          before you apply it
        </label>
      </Confirm>
      <details class="confirm" id="dry">
        <summary>Dry run</summary>
        <form class="stack" action={`${path}/dry-run`}>
          <p>Says what a compaction would do now. Nothing is written, no model is asked.</p>
          <CompactFields prefix="dry" />
          <button type="submit">Try</button>
        </form>
      </details>
      <PinText visitor={visitor} id={id} />
      <Confirm
        id="fork"
        label="Fork"
        action={`${path}/fork`}
        visitor={visitor}
        does="Makes a new session that begins with this context. This session stays as it is."
      >
        <label for="fork-at">At version (1 to {count(version)})</label>
        <input id="fork-at" name="at" type="number" min="1" max={version} value={version} />
        <label for="fork-as">Id of the new session (a new one if left empty)</label>
        <input id="fork-as" name="as" pattern="[A-Za-z0-9._:\-]{1,128}" />
      </Confirm>
    </div>
  );
}

function CompactFields({ prefix }: { prefix: string }) {
  return (
    <>
      <label for={`${prefix}-mode`}>How</label>
      <select id={`${prefix}-mode`} name="mode">
        {COMPACT_MODES.map((mode) => (
          <option value={mode}>{MODE_WORDS[mode]}</option>
        ))}
      </select>
      {prefix === 'compact' && (
        <>
          <label for="compact-focus">What the summary should pay attention to (may be empty)</label>
          <input id="compact-focus" name="focus" maxlength={2000} />
        </>
      )}
    </>
  );
}
