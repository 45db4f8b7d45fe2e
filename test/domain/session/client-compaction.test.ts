import { expect, test } from 'vitest';
import { atomsOf } from '../../../src/domain/items/atoms.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { clientCompaction } from '../../../src/domain/session/client-compaction.ts';
import { cpuMs } from '../../support/cpu-time.ts';

const codec = codecFor('anthropic');
const told = (item: Item) => ({ item, atoms: atomsOf(codec, item) });
const logged = (item: Item) => ({ ...told(item), isOurs: false });
const user = (content: Item['content']): Item => ({ role: 'user', content });

const SUMMARY = user(
  'This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nAll of it.',
);

test('a message of many parts behind a summary is looked through once', () => {
  const log = [...Array.from({ length: 1_000 }, () => user('On.')), user('Stop.')].map(logged);
  const parts = Array.from({ length: 16_000 }, () => ({ type: 'text', text: 'On.' }));
  const client = [SUMMARY, user(parts)].map(told);
  const started = cpuMs();
  expect(clientCompaction(codec, log, client)?.items).toBe(1);
  expect(cpuMs() - started).toBeLessThan(1_000);
});
