import type { PropsWithChildren } from 'hono/jsx';
import type { Visitor } from '../access.ts';

/** Something that changes a session: a first click says what it will do, a second one does it. */
export function Confirm({
  id,
  label,
  action,
  visitor,
  does,
  kind = 'usual',
  children,
}: PropsWithChildren<{
  id: string;
  label: string;
  action: string;
  visitor: Visitor;
  /** What happens then, in a sentence. */
  does: string;
  kind?: 'usual' | 'danger';
}>) {
  return (
    <details class="confirm" id={id}>
      <summary>{label}</summary>
      <form class="stack" method="post" action={action}>
        <input type="hidden" name="token" value={visitor.token} />
        <p>{does}</p>
        {children}
        <button class={kind === 'danger' ? 'danger' : ''} type="submit">
          {label}
        </button>
      </form>
    </details>
  );
}
