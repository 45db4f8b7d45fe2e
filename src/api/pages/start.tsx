import type { Visitor } from './access.ts';
import { ImportForm } from './import-form.tsx';
import { Layout } from './layout.tsx';

/** What an empty service shows: the ways to begin. */
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
      <div class="begin">
        <section class="card">
          <h2>Import a transcript</h2>
          <ImportForm visitor={visitor} />
        </section>
        <section class="card">
          <h2>Connect an agent</h2>
          <p>
            A base URL is enough: requests go on to the provider, the conversation stays here too.
          </p>
          <pre class="code" tabindex={0}>{`# Claude Code
ANTHROPIC_BASE_URL=${origin} claude
# Codex
codex -c openai_base_url="${origin}/v1"
# an SDK
new OpenAI({ baseURL: '${origin}/v1' })`}</pre>
          {visitor.hasCookie && (
            <p>
              Each request has to carry your key here as the header <code>x-palimpsest-key</code>:
              in Claude Code by <code>ANTHROPIC_CUSTOM_HEADERS</code>, in an SDK by its default
              headers.
            </p>
          )}
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
