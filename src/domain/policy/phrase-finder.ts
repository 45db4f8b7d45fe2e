/** One phrase at the node where it ends. */
type Output = { length: number; startsWithWord: boolean; lists: number };

type Automaton = {
  /** From `node * UNITS + code unit` to the next node; 0 is the root. */
  next: Map<number, number>;
  /** The node of the longest proper suffix that begins a phrase. */
  suffix: number[];
  output: (Output | undefined)[];
  /** The nearest node among the suffixes that has an output; 0: none. */
  outputSuffix: number[];
  /** The lists that there are, as bits. */
  lists: number;
};

const UNITS = 0x10000;

/**
 * Says for each list of phrases whether one of them stands in a text. Phrases are plain text and count
 * as whole words, in any case: "unfinished" is not "finished" (SPEC section 11). An automaton of Aho
 * and Corasick reads the text once, whatever phrases a tenant has chosen.
 */
export function phraseFinder(lists: readonly (readonly string[])[]): (text: string) => boolean[] {
  const automaton = build(lists);
  return (text) => {
    const found = search(automaton, comparable(text));
    return lists.map((_, index) => (found & (1 << index)) !== 0);
  };
}

function comparable(text: string): string {
  return text.toLowerCase().replaceAll('’', "'");
}

function build(lists: readonly (readonly string[])[]): Automaton {
  const automaton: Automaton = {
    next: new Map(),
    suffix: [0],
    output: [undefined],
    outputSuffix: [0],
    lists: 0,
  };
  for (const [index, phrases] of lists.entries()) {
    for (const phrase of phrases) add(automaton, comparable(phrase), 1 << index);
  }
  linkSuffixes(automaton);
  return automaton;
}

function add(automaton: Automaton, phrase: string, list: number): void {
  const { next, suffix, output, outputSuffix } = automaton;
  let node = 0;
  for (let at = 0; at < phrase.length; at++) {
    const edge = node * UNITS + phrase.charCodeAt(at);
    let target = next.get(edge);
    if (target === undefined) {
      target = suffix.length;
      next.set(edge, target);
      suffix.push(0);
      output.push(undefined);
      outputSuffix.push(0);
    }
    node = target;
  }
  if (node === 0) return;
  const lists = (output[node]?.lists ?? 0) | list;
  output[node] = { length: phrase.length, startsWithWord: isWord(phrase[0]), lists };
  automaton.lists |= list;
}

/** Edges are in the order in which they were added: those of a phrase come after those before them. */
function linkSuffixes({ next, suffix, output, outputSuffix }: Automaton): void {
  const byDepth: [edge: number, target: number][][] = [];
  const depth = [0];
  for (const [edge, target] of next) {
    const level = depth[Math.floor(edge / UNITS)] ?? 0;
    depth[target] = level + 1;
    const edges = byDepth[level] ?? [];
    byDepth[level] = edges;
    edges.push([edge, target]);
  }
  for (const [edge, target] of byDepth.flat()) {
    const parent = Math.floor(edge / UNITS);
    const unit = edge % UNITS;
    const own = parent === 0 ? 0 : step(next, suffix, suffix[parent] ?? 0, unit);
    suffix[target] = own;
    outputSuffix[target] = output[own] === undefined ? (outputSuffix[own] ?? 0) : own;
  }
}

function step(
  next: ReadonlyMap<number, number>,
  suffix: readonly number[],
  from: number,
  unit: number,
): number {
  for (let node = from; ; node = suffix[node] ?? 0) {
    const target = next.get(node * UNITS + unit);
    if (target !== undefined) return target;
    if (node === 0) return 0;
  }
}

/** The lists that have a phrase in the text, as bits. */
function search({ next, suffix, output, outputSuffix, lists }: Automaton, text: string): number {
  let found = 0;
  let node = 0;
  for (let at = 0; at < text.length && found !== lists; at++) {
    node = step(next, suffix, node, text.charCodeAt(at));
    const first = output[node] === undefined ? (outputSuffix[node] ?? 0) : node;
    // All phrases that end here end with the same character.
    if (first === 0 || (isWord(text[at]) && isWord(text[at + 1]))) continue;
    for (let ending = first; ending !== 0; ending = outputSuffix[ending] ?? 0) {
      const phrase = output[ending];
      if (phrase === undefined || (phrase.lists & ~found) === 0) continue;
      const startsInWord = phrase.startsWithWord && isWord(text[at - phrase.length]);
      if (!startsInWord) found |= phrase.lists;
    }
  }
  return found;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
