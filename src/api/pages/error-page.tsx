import type { ProblemError } from '../http/problem.ts';
import { problemTitle } from '../http/problem.ts';
import type { Visitor } from './access.ts';
import { Layout } from './layout.tsx';

/** What went wrong, in words, and where to go from here. */
export function ErrorPage({
  problem,
  visitor,
}: {
  problem: ProblemError;
  visitor: Visitor | null;
}) {
  const title = problemTitle(problem.code);
  return (
    <Layout title={title} visitor={visitor}>
      <section class="notice bad" role="alert">
        <h1>{title}</h1>
        <p>{ADVICE.get(problem.code) ?? sentence(problem.message)}</p>
        {problem.errors !== undefined && problem.errors.length > 0 && (
          <ul>
            {problem.errors.slice(0, 10).map(({ path, message }) => (
              <li>
                {path === '' ? '' : <code>{path}</code>} {message}
              </li>
            ))}
          </ul>
        )}
        <p>
          <a href="/">Back to all sessions</a>
        </p>
      </section>
    </Layout>
  );
}

/** Where the words of the API are for programs. */
const ADVICE = new Map<string, string>([
  [
    'session_not_found',
    'There is no session with this id: it was erased, belongs to another key, or the address has a mistake.',
  ],
]);

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
