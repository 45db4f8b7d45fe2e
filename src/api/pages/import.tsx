import { importTranscript } from '../../app/import-transcript.ts';
import { ElsewhereError } from '../../app/ports/elsewhere-error.ts';
import { readBody } from '../http/json-body.ts';
import { ProblemError, unwrap } from '../http/problem.ts';
import { BASE } from './assets.ts';
import { ImportForm } from './import-form.tsx';
import { Layout } from './layout.tsx';
import { addPage, answered, noFields, type Site } from './page.tsx';
import { sessionPath, withQuery } from './paths.ts';

const PATH = `${BASE}/import`;

/** A gzipped file may come to so many times what a body may hold. */
const UNPACKED = 4;

/** Uploading a transcript: it is read and appended while the browser waits. */
export function addImportPages(site: Site): void {
  const { api, access } = site;
  const { deps } = api;
  addPage(site, {
    path: PATH,
    params: noFields,
    query: noFields,
    render: async ({ visitor }) => (
      <Layout title="Import" visitor={visitor} crumbs={[{ label: 'Import' }]}>
        <section class="card narrow">
          <h1>Import a transcript</h1>
          <ImportForm visitor={visitor} />
        </section>
      </Layout>
    ),
  });
  api.app.post(PATH, (c) =>
    answered(site, c, 'post', async (visitor) => {
      access.refuseForeign(c.req.raw);
      const form = await readUpload(c.req.raw, deps.limits);
      access.refuseForged(visitor, form.token);
      const { body_bytes, json_values } = deps.limits;
      const most = { bytes: UNPACKED * body_bytes, values: UNPACKED * json_values };
      const transcripts = unwrap(deps.readTranscripts(form.name, form.bytes, most));
      const ids: string[] = [];
      for (const transcript of transcripts) {
        const imported = importTranscript(deps, visitor.tenant, transcript, c.req.raw.signal);
        ids.push(unwrap(await imported));
      }
      const [id] = ids;
      const isOne = id !== undefined && ids.length === 1;
      return c.redirect(isOne ? withQuery(sessionPath(id), { done: 'imported' }) : '/', 303);
    }),
  );
}

/** The file of the form, with its name. Throws ProblemError: 400, 413, 415; ElsewhereError. */
async function readUpload(request: Request, limits: Parameters<typeof readBody>[1]) {
  const type = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw new ProblemError('unsupported_media_type', 'send this form as multipart/form-data');
  }
  const body = new Uint8Array(await readBody(request, limits));
  const form = await new Response(body, { headers: { 'content-type': type } })
    .formData()
    .catch(() => null);
  const file = form?.get('file');
  if (form === null || file === null || file === undefined || typeof file === 'string') {
    throw new ProblemError('invalid_request', 'choose a file: none has arrived with the form');
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  // A few bytes may come to a thousand times as many.
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (isGzip && limits.body_bytes_here !== undefined) throw new ElsewhereError();
  const token = form.get('token');
  return {
    name: file.name === '' ? 'transcript' : file.name,
    bytes,
    token: typeof token === 'string' ? token : '',
  };
}
