import type { Visitor } from './access.ts';
import { ImportForm } from './import-form.tsx';
import { Layout } from './layout.tsx';

/** What an empty service shows: two ways to begin. */
export function Start({ visitor, origin }: { visitor: Visitor; origin: string }) {
  const key = visitor.hasCookie ? ' \\\n  -H "Authorization: Bearer YOUR_KEY"' : '';
  return (
    <Layout title="Welcome" visitor={visitor}>
      <div class="hero">
        <h1>No sessions yet</h1>
        <p>
          A session is one conversation: everything that was said, and what of it the model still
          sees. Look at one that you already have, or connect an agent.
        </p>
      </div>
      <div class="two">
        <section class="card">
          <h2>Import a transcript</h2>
          <ImportForm visitor={visitor} />
        </section>
        <section class="card">
          <h2>Append to a session</h2>
          <p>A session begins with its first items, in the format of your provider.</p>
          <pre class="code" tabindex={0}>{`curl ${origin}/sessions/first/items${key} \\
  -H 'Content-Type: application/json' \\
  -d '{"role": "user", "content": "Hello"}'
curl ${origin}/sessions/first/context${key}`}</pre>
          <p>
            All of it: <a href="/docs">the API</a>.
          </p>
        </section>
      </div>
    </Layout>
  );
}
