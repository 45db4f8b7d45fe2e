import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HookServer, replies } from '../../support/hook-server.ts';
import { ofTokens } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { append, compact, StubModel } from '../lab.ts';
import { assistant, GOOD, openLab, user } from './lab.ts';

const TALK = [user('Fix the parser.'), assistant(ofTokens(3_000))];

let lab: SessionLab;
let model: StubModel;
let hooks: HookServer;
beforeEach(async () => {
  hooks = await HookServer.start();
  lab = await openLab();
  model = StubModel.of(lab, GOOD);
  await append(lab, ...TALK);
});
afterEach(() => hooks.close());

const ran = async () => (await lab.events()).filter(({ type }) => type === 'hook.ran');

describe('phases 2 and 6', () => {
  it('CV-192: where the operator has no hooks, none run', async () => {
    await compact(lab, 'full');
    expect(await ran()).toEqual([]);
  });

  it('CV-192, CV-201: PreCompact hooks run before the summary, SessionStart hooks after it', async () => {
    const note = user('A note of the hook.', { is_meta: true });
    const new_custom_instructions = 'Keep the names.';
    lab.hooks = [
      hooks.hook('PreCompact', [replies({ new_custom_instructions })]),
      hooks.hook('SessionStart', [replies({ items: [note] })]),
    ];
    await compact(lab, 'full');
    expect(hooks.bodies('PreCompact')).toMatchObject([{ trigger: 'manual' }]);
    expect(hooks.bodies('SessionStart')).toMatchObject([{ source: 'compact' }]);
    expect(model.prompt).toContain('Keep the names.');
    expect((await lab.view()).entries.at(-1)).toMatchObject({ origin: 'hook', item: note });
    expect(await ran()).toHaveLength(2);
  });
});
