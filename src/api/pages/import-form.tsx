import type { Visitor } from './access.ts';
import { BASE } from './assets.ts';

/** Uploads a transcript. */
export function ImportForm({ visitor }: { visitor: Visitor }) {
  return (
    <form class="stack busy" method="post" action={`${BASE}/import`} enctype="multipart/form-data">
      <input type="hidden" name="token" value={visitor.token} />
      <label for="file">
        A file of Claude Code, Codex, Gemini CLI, Copilot, pi, goose, SWE-agent …
      </label>
      <input id="file" type="file" name="file" required />
      <p class="faint">
        Its kind is recognised by what is in it. Also an export of a session, and messages of the
        APIs of OpenAI and Anthropic. Nothing leaves this service.
      </p>
      <button type="submit">Import</button>
      <p class="status" role="status" />
    </form>
  );
}
