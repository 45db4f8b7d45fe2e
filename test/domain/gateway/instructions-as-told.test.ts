import { expect, it } from 'vitest';
import { withInstructionsAsTold } from '../../../src/domain/gateway/instructions-as-told.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { Entry } from '../../../src/domain/session/entry.ts';

const codec = codecFor('openai-chat');
const system = (content: string): Item => ({ role: 'system', content });
const asked: Item = { role: 'user', content: 'Why does the build fail?' };
const entriesOf = (...items: Item[]): Entry[] =>
  items.map((item) => ({ seq: null, item, tokens: 1, origin: 'instructions' }));
const toldWith = (context: Item[], history: Item[]) =>
  withInstructionsAsTold(codec, entriesOf(...context), history).map(({ item }) => item);

it('has those of the request in place of those that were told first', () => {
  const context = [system('You mend builds. It is 17:00.'), asked];
  const history = [system('You mend builds. It is 18:30.'), asked];
  expect(toldWith(context, history)).toEqual(history);
});

it('leaves those of others: of the session, and of the operator later on', () => {
  const own = system('Answer in German.');
  const later = system('The office closes at 18:00.');
  const context = [own, system('You mend builds. It is 17:00.'), later, asked];
  const told = system('You mend builds. It is 18:30.');
  expect(toldWith(context, [told, asked])).toEqual([own, told, later, asked]);
});

it('leaves what programs tell in tags, where a later one stands for it', () => {
  const tag = (time: string) => `<environment_context>\n${time}\n</environment_context>`;
  const context = [system(tag('18:30')), asked];
  expect(toldWith(context, [system(tag('17:00')), asked])).toEqual(context);
});

it('has the date of the request, unless the history has a later one', () => {
  const date = (day: number) => system(`Today's date is 2026-10-0${day}.`);
  expect(toldWith([date(1), asked], [date(2), asked])).toEqual([date(2), asked]);
  expect(toldWith([date(3), asked], [date(1), asked, date(3)])).toEqual([date(3), asked]);
});

it('tells two that begin alike apart by their order', () => {
  const context = [system('You mend builds: 1.'), system('You mend builds: 2.'), asked];
  const history = [system('You mend builds: 3.'), system('You mend builds: 4.'), asked];
  expect(toldWith(context, history)).toEqual(history);
});
