import type { Item } from '../src/domain/items/item.ts';
import { SeededRandom } from '../test/support/seeded-random.ts';

const WORDS_OF_ITEM = 200;
const VOCABULARY = 5_000;

/** Items of some 1.5 KB whose words are as unequally frequent as those of a language, with a name of their own each. */
export class Corpus {
  readonly #random = new SeededRandom(7);
  readonly #words: string[];
  #count = 0;
  readonly #phrases: string[] = [];

  constructor() {
    const syllables = [
      'ka',
      'lo',
      'mi',
      'ren',
      'sta',
      'tor',
      've',
      'zu',
      'pre',
      'in',
      'con',
      'der',
    ];
    this.#words = Array.from({ length: VOCABULARY }, (_, i) =>
      [i % 12, Math.floor(i / 12) % 12, Math.floor(i / 144) % 12, Math.floor(i / 1728)]
        .map((at) => syllables[at])
        .join(''),
    );
  }

  items(count: number): Item[] {
    return Array.from({ length: count }, () => {
      const words = Array.from({ length: WORDS_OF_ITEM }, () => this.#word());
      const at = Math.floor(words.length / 2);
      this.#phrases.push(words.slice(at, at + 3).join(' '));
      const name = `handleRequest${(this.#count * 7919).toString(36)}`;
      this.#count += 1;
      return { role: 'user', content: `${name} ${words.join(' ')}` };
    });
  }

  /** A third rare names, a third words that stand in more than a tenth of the items, a third phrases. */
  query(index: number, items: number): string {
    const item = Math.floor((index * items * 0.618) % items);
    if (index % 3 === 0) return `handleRequest${(item * 7919).toString(36)}`;
    if (index % 3 === 1) return `${this.#words[index % 20]} ${this.#words[(index * 7 + 3) % 20]}`;
    return `"${this.#phrases[item]}"`;
  }

  /** By Zipf's law. */
  #word(): string {
    return this.#words[Math.floor(VOCABULARY ** this.#random.next()) - 1] ?? '';
  }
}
