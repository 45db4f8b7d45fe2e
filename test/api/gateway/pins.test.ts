import { afterEach, beforeEach, expect, it } from 'vitest';
import { send } from '../../support/api-server.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const RULE = 'Never touch vendor/.';
const headers = { 'x-palimpsest-session': 'pinned' };
const user = (content: string) => ({ role: 'user', content });
const body = (...messages: object[]) => ({ model: 'm', max_tokens: 10, messages });

it.each(['/v1/messages', '/v1/chat/completions'])(
  'what is pinned goes upstream with %s, also before anything was compacted',
  async (path) => {
    const first = await lab.post(path, body(user('Hello')), headers);
    expect(first.headers.get('palimpsest-status')).toBe('forwarded');
    await expect.poll(() => lab.items(first.session)).toHaveLength(2);
    const pins = `/sessions/${first.session}/pins`;
    const history = [user('Hello'), { role: 'assistant', content: 'Done.' }, user('And now?')];

    // It stands in the history already.
    const item = await send(lab.api, 'POST', pins, { body: { seq: 2 } });
    expect(item.status, item.text).toBe(201);
    const same = await lab.post(path, body(...history), headers);
    expect(same.headers.get('palimpsest-status')).toBe('forwarded');

    const text = await send(lab.api, 'POST', pins, { body: { text: RULE } });
    expect(text.status, text.text).toBe(201);
    const next = await lab.post(path, body(...history), headers);
    expect(next.session).toBe(first.session);
    expect(next.headers.get('palimpsest-status')).toMatch(/^compacted/);
    const sent = lab.provider.received.at(-1)?.raw.toString() ?? '';
    expect(sent.split(RULE)).toHaveLength(2);
    expect(sent).toContain('And now?');
    expect(lab.provider.invalid).toEqual([]);

    const { id } = text.body.pin as { id: string };
    expect((await send(lab.api, 'DELETE', `${pins}/${id}`)).status).toBe(204);
    const last = await lab.post(path, body(...history), headers);
    expect(last.headers.get('palimpsest-status')).toBe('forwarded');
  },
);
