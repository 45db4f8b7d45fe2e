import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extractive } from '../../../src/workers/summarizers/extractive.ts';
import type { Summarizer, WrittenText } from '../../../src/workers/summarizers/summarizer.ts';
import { Conversations } from '../../support/api-conversation.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { assistant, call, ofTokens, result, user } from '../../support/items.ts';

let api: ApiServer;
let id: string;
let cid: string;
const { create, compacted } = new Conversations(() => api);

const page = (path: string) => send(api, 'GET', path, { headers: { accept: 'text/html' } });

/** Writes a summary the second time that it is asked. */
function failingOnce(): Summarizer<WrittenText> {
  let asked = 0;
  return {
    kind: 'asking',
    name: 'openai/made-up',
    summarize: async (task, signal) => {
      asked += 1;
      if (asked > 1) return extractive.summarize(task, signal);
      return { ok: false, reason: 'api_error', message: 'made-up: no answer', retryable: true };
    },
  };
}

/** The text of a page, without its marks. */
function words(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');
}

const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>';

beforeAll(async () => {
  api = await startApi();
  id = await create({ auto_compact_enabled: false });
  const reads = { role: 'user', content: `needle-4711 ${HOSTILE} " onclick="x` };
  await send(api, 'POST', `/sessions/${id}/items`, { body: [reads] });
  cid = await compacted(id, { mode: 'full' });
  await send(api, 'POST', `/sessions/${id}/items`, { body: [user(`After ${HOSTILE}`)] });
});
afterAll(() => api.close());

describe('every page', () => {
  const paths = () => [
    '/',
    '/inspect/search?q=needle',
    '/inspect/import',
    `/inspect/sessions/${id}`,
    `/inspect/sessions/${id}/context`,
    `/inspect/sessions/${id}/log`,
    `/inspect/sessions/${id}/items/2`,
    `/inspect/sessions/${id}/search?q=needle-4711`,
    `/inspect/sessions/${id}/compactions/${cid}`,
    `/inspect/sessions/${id}/compactions/${cid}/covered`,
    `/inspect/sessions/${id}/dry-run`,
  ];

  it('comes whole, loads only files of this server, and runs nothing that was said', async () => {
    for (const path of paths()) {
      const { status, headers, text } = await page(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
      // Nothing inline: the policy would refuse it.
      expect(text).not.toMatch(/<script>|<style|style="|\son[a-z]+="(?!x)/);
      expect(text).not.toContain('<img src=x');
      const loaded = [...text.matchAll(/<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"/g)];
      expect(loaded.length).toBeGreaterThan(2);
      for (const [, file] of loaded) expect(file).toMatch(/^\/inspect\/assets\//);
    }
  });

  it('has its files', async () => {
    const { text } = await page('/');
    for (const [, file] of text.matchAll(/(?:src|href)="(\/inspect\/assets\/[^"]+)"/g)) {
      const answer = await page(String(file));
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^(text\/(css|javascript)|image\/svg)/);
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(answer.text.length).toBeGreaterThan(100);
    }
  });

  it('says in words what is wrong', async () => {
    const errors: [string, number, RegExp][] = [
      ['/inspect/sessions/nobody', 404, /There is no session with this id: it was erased,/],
      [`/inspect/sessions/${id}/compactions/none`, 404, /no compaction/],
      [`/inspect/sessions/${id}/context?at=9999`, 404, /choose one from 1 to \d+/],
      [`/inspect/sessions/${id}/items/1`, 404, /what happened there was session.created/],
      [`/inspect/sessions/${id}/context?at=x`, 400, /must be a whole number/],
      [`/inspect/sessions/${id}/search?q=${encodeURIComponent('say "')}`, 400, /quot/],
      ['/inspect/nothing', 404, /There is no such page/],
    ];
    for (const [path, status, message] of errors) {
      const answer = await page(path);
      expect({ path, status: answer.status }).toEqual({ path, status });
      expect(answer.headers.get('content-type')).toContain('text/html');
      expect(words(answer.text)).toMatch(message);
      expect(answer.text).toContain('Back to all sessions');
    }
  });
});

describe('what an item says', () => {
  it('is named where it has no words: thinking that the provider keeps, and images', async () => {
    const kept = await create({});
    const thinking = { type: 'thinking', thinking: '', signature: 'c2lnbmF0dXJl' };
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
    const items = [
      { role: 'user', content: [{ type: 'image', source }] },
      { role: 'assistant', content: [thinking] },
    ];
    await send(api, 'POST', `/sessions/${kept}/items`, { body: items });
    for (const name of ['log', 'context']) {
      const text = words((await page(`/inspect/sessions/${kept}/${name}`)).text);
      expect(text).toContain('(thinking)');
      expect(text).toContain('[image]');
    }
  });
});

describe('the list of sessions', () => {
  it.each([
    undefined,
    '*/*',
    'text/html,application/xhtml+xml,*/*;q=0.8',
    'text/html, application/json;q=0.9',
  ])('is a page for who takes %s', async (accept) => {
    const headers = accept === undefined ? {} : { accept };
    const { text } = await send(api, 'GET', '/', { headers });
    expect(words(text)).toContain(`${id} 24 items`);
    expect(words(text)).toContain('Σ summarised');
  });

  it('is JSON for who asks for that', async () => {
    const headers = { accept: 'application/json, */*;q=0.1' };
    expect((await send(api, 'GET', '/', { headers })).body).toMatchObject({ name: 'palimpsest' });
  });

  it('says where a session comes from that has no telling id', async () => {
    const gateway = { upstream: 'anthropic', rule: 'x-palimpsest-session', name: 'my <agent>' };
    const body = { id: 'gw-1', metadata: { gateway } };
    await send(api, 'POST', '/sessions', { body });
    const words = 'my &lt;agent&gt;, through the gateway to anthropic';
    for (const path of ['/', '/inspect/sessions/gw-1']) {
      const { text } = await send(api, 'GET', path, { headers: { accept: 'text/html' } });
      expect(text).toContain(words);
    }
  });

  it('tells what the user asked first, and the id', async () => {
    await send(api, 'POST', '/sessions', { body: { id: 'asked' } });
    const body = [user(`Fix ${HOSTILE}`), user('Go on.')];
    await send(api, 'POST', '/sessions/asked/items', { body });
    for (const path of ['/', '/inspect/sessions/asked']) {
      const { text } = await page(path);
      expect(text).toContain('>Fix &lt;script&gt;');
      expect(words(text)).toMatch(/Fix .* asked /);
    }
    const { body: session } = await send(api, 'GET', '/sessions/asked');
    expect(session).toMatchObject({ title: `Fix ${HOSTILE}` });
  });

  it('says how to begin where there is nothing', async () => {
    const empty = await startApi();
    try {
      const { text } = await send(empty, 'GET', '/', { headers: { accept: 'text/html' } });
      expect(words(text)).toContain('No sessions yet');
      expect(text).toContain('type="file"');
      expect(text).toContain(`curl ${empty.url}/sessions/first/items`);
      expect(text).toContain(`ANTHROPIC_BASE_URL=${empty.url} claude`);
      expect(words(text)).toContain(`codex -c openai_base_url=&quot;${empty.url}/v1&quot;`);
    } finally {
      await empty.close();
    }
  });
});

describe('a session', () => {
  it('shows its course with the window, the threshold and each compaction', async () => {
    const { text } = await page(`/inspect/sessions/${id}`);
    expect(text).toMatch(/aria-label="Tokens of the context from version 1 to \d+: now [\d,]+ of/);
    expect(text).toContain(
      `href="/inspect/sessions/${id}/compactions/${cid}"><title>Compaction at version`,
    );
    expect(words(text)).toMatch(/window 16k compacts at \d+k/);
    expect(text).toMatch(/data-live="\/inspect\/sessions\/s1\/live\?after=\d+"/);
  });

  it('shows the context of any version, and what fills it', async () => {
    const now = words((await page(`/inspect/sessions/${id}/context`)).text);
    expect(now).toContain('What the model sees now');
    expect(now).toMatch(/summary [\d,]+/);
    expect(now).toContain('Σ summary');
    const past = words((await page(`/inspect/sessions/${id}/context?at=5`)).text);
    expect(past).toContain('the context exactly as it was then');
    expect(past).toMatch(/Read results [\d,]+/);
    expect(past).not.toContain('Σ summary');
  });

  it('says why its items do not add up to the context', async () => {
    const why = async (name: string) =>
      /Figures of single items are estimates\. [^.]*\./.exec(
        words((await page(`/inspect/sessions/${name}/context`)).text),
      )?.[0];
    expect(await why(id)).toContain('reckons with × 1');
    const answer = { ...assistant('Hello.'), usage: { input_tokens: 900, output_tokens: 5 } };
    await send(api, 'POST', '/sessions/counted/items', { body: [user('Hello?'), answer] });
    expect(await why('counted')).toContain('what the provider has counted');
  });

  it('finds what was said long ago, and says where it went', async () => {
    const found = await page(`/inspect/sessions/${id}/search?q=needle-4711`);
    expect(found.text).toContain('<mark>needle-4711</mark>');
    expect(found.text).toContain('&lt;script&gt;');
    const item = /href="(\/inspect\/sessions\/s1\/items\/\d+)"/.exec(found.text)?.[1] ?? '';
    const original = await page(item);
    expect(original.text).toContain('needle-4711 &lt;script&gt;alert(1)');
    expect(words(original.text)).toMatch(/appended \d{4}/);
  });

  it('shows a compaction: why, how long, before and after, the summary with its sources', async () => {
    const { text } = await page(`/inspect/sessions/${id}/compactions/${cid}`);
    const read = words(text);
    expect(read).toContain('Somebody asked for it');
    expect(read).toContain('asked for a summary');
    expect(read).toMatch(/Figures of single items are estimates\. .* reckons with × 1\.33/);
    expect(read).toContain('wrote the summary');
    expect(read).toMatch(/Before [\d,]+ tokens/);
    expect(read).toMatch(/\d+ items? replaced by the summary/);
    expect(read).toMatch(/Σ summary user: .* [\d,]+ /);
    expect(read).toMatch(/= kept \d+ items? kept as they were [\d,]+ tokens/);
    // What must be kept and was, and what it cost.
    expect(read).toMatch(/What the summary kept \d+ % of the facts that must be kept/);
    expect(read).toMatch(
      /written by extractive model tokens 0 in, 0 out cost \$0 saves per call [\d,]+/,
    );
    expect(text).toMatch(
      /<span class="source"> from <a href="\/inspect\/sessions\/s1\/items\/\d+"/,
    );
    expect(read).toContain('Raw events');
    expect(read).toContain('compaction.requested');
    const covered = await page(`/inspect/sessions/${id}/compactions/${cid}/covered`);
    expect(words(covered.text)).toContain('summarised');
  });

  it('shows what was put back', async () => {
    const body = {
      id: 'restored',
      context_window: 16_000,
      config: { auto_compact_enabled: false },
    };
    await send(api, 'POST', '/sessions', { body });
    const reads = ['src/a.ts', 'src/b.ts'].flatMap((path, at) => [
      call(`r${at}`, 'Read', { file_path: path }),
      result(`r${at}`, `1\texport const value${at} = ${at};`),
    ]);
    const talk = Array.from({ length: 6 }, (_, n) => [
      user(`And ${n}? ${ofTokens(300)}`),
      assistant(`So ${n}. ${ofTokens(300)}`),
    ]).flat();
    await send(api, 'POST', '/sessions/restored/items', { body: [user('Go.'), ...reads, ...talk] });
    const own = await compacted('restored', { mode: 'full' });
    const { text } = await page(`/inspect/sessions/restored/compactions/${own}`);
    expect(words(text)).toMatch(/↺ file file src\/[ab]\.ts/);
    expect(text).toMatch(/aria-label="[^"]*restored [\d,]+[^"]* tokens"/);
  });

  it('tells how many attempts it took, and what each failure was', async () => {
    const flaky = await startApi({}, failingOnce());
    try {
      const own = new Conversations(() => flaky);
      const session = await own.create({ auto_compact_enabled: false, summarizer_max_attempts: 3 });
      const asked = await own.compact(session, { mode: 'full' });
      for (let run = 0; run < 2; run++) await flaky.work(flaky.dispatched.at(-1)).catch(() => {});
      const path = `/inspect/sessions/${session}/compactions/${asked.body.id}`;
      const { text } = await send(flaky, 'GET', path, { headers: { accept: 'text/html' } });
      expect(words(text)).toContain('Σ summarised');
      expect(words(text)).toContain('Phases · 2 attempts');
      expect(words(text)).toContain('made-up: no answer');
    } finally {
      await flaky.close();
    }
  });

  it('says of cleared results what stands in their place, and counts none as kept as it was', async () => {
    const own = await create({ auto_compact_enabled: false });
    const micro = await compacted(own, { mode: 'micro' });
    const { body } = await send(api, 'GET', `/sessions/${own}/compactions/${micro}/diff`);
    const cleared = body.cleared as { seq: number; kind: string }[];
    const kept = body.kept as unknown[];
    expect(cleared.length).toBeGreaterThan(0);
    const read = words((await page(`/inspect/sessions/${own}/compactions/${micro}`)).text);
    const items = new Set(cleared.map(({ seq }) => seq)).size;
    expect(read).toContain(
      `${kept.length} items kept, of which ${items} with their results shortened`,
    );
    expect(read).not.toContain('kept as they were');
    // Not only that it was: the first words of the placeholder or the digest.
    expect(read).toMatch(new RegExp(`#${cleared[0]?.seq} ${cleared[0]?.kind}: \\[`));
  });

  it.each([
    ['from the version that it shows', -1],
    ['from the first, where it shows one that was erased since and had come further', 1],
  ])('follows what happens without saying what was said, %s', async (_, further) => {
    const { version } = (await send(api, 'GET', `/sessions/${id}`)).body;
    const controller = new AbortController();
    const stream = await fetch(
      `${api.url}/inspect/sessions/${id}/live?after=${Number(version) + further}`,
      {
        signal: controller.signal,
      },
    );
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    while (!seen.includes(`id: ${version}\n`)) seen += (await reader?.read())?.value ?? '';
    expect(seen).toContain(
      `id: ${version}\ndata: {"version":${version},"type":"item.appended"}\n\n`,
    );
    controller.abort();
  });
});

describe('a large item', () => {
  it('is cut in the context, and whole on its own page', async () => {
    await send(api, 'POST', '/sessions/large/items', {
      body: [user(`${ofTokens(40_000)} the-end`)],
    });
    const context = await page('/inspect/sessions/large/context');
    expect(context.text.length).toBeLessThan(20_000);
    expect(words(context.text)).toContain('… cut here. Show all of it');
    const item = await page('/inspect/sessions/large/items/2');
    expect(item.text.length).toBeLessThan(1_000_000);
    expect(words(item.text)).toContain('… cut here');
    const rest = await page('/inspect/sessions/large/items/2?from=100000');
    expect(rest.text).toContain('the-end');
  });
});
