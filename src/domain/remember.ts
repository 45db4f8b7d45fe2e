/**
 * The same pure function, which answers from memory when it is asked again for the same object. What it
 * is asked about must never change; its answer is forgotten with it.
 */
export function remembering<K extends object, V>(answer: (of: K) => V): (of: K) => V {
  const known = new WeakMap<K, { value: V }>();
  return (of) => {
    let found = known.get(of);
    if (found === undefined) {
      found = { value: answer(of) };
      known.set(of, found);
    }
    return found.value;
  };
}

/** The same for words of which there are few, such as the names of tools; longer ones are not kept. */
export function rememberingWords<V>(answer: (of: string) => V): (of: string) => V {
  const known = new Map<string, { value: V }>();
  return (of) => {
    const found = known.get(of);
    if (found !== undefined) return found.value;
    const value = answer(of);
    if (of.length <= LONGEST_WORD) {
      if (known.size >= MOST_WORDS) known.clear();
      known.set(of, { value });
    }
    return value;
  };
}

/** The same for texts that several ask about one after the other: the newest one is kept. */
export function rememberingLast<V>(answer: (of: string) => V): (of: string) => V {
  let known: { of: string; value: V } | null = null;
  return (of) => {
    if (known?.of !== of) known = { of, value: answer(of) };
    return known.value;
  };
}

const MOST_WORDS = 1_000;
const LONGEST_WORD = 100;
