/**
 * A change that CONTRIBUTING.md has a recipe for: what it writes into which files of src. The steps that
 * are `needed` are those that the compiler asks for once the `first` has been made.
 */
export type Recipe = {
  /** As the heading in CONTRIBUTING.md. */
  name: string;
  /** Files of src that the change may touch. */
  most: number;
  steps: readonly Step[];
};

export type Step = {
  path: string;
  kind: 'first' | 'needed' | 'further';
  change: Change | readonly Change[];
};

/** A new file, or a text put right after another that stands once in the file. */
export type Change = { create: string } | { after: string; insert: string };

/** The text of a file after a step. Throws when the step does not fit the file. */
export function textAfter(text: string | null, { path, change }: Step): string {
  return [change].flat().reduce<string | null>((before, one) => {
    if ('create' in one) {
      if (before !== null) throw new Error(`${path} is there already`);
      return one.create;
    }
    const parts = before?.split(one.after) ?? [];
    if (parts.length !== 2) throw new Error(`${path} does not hold once: ${one.after}`);
    return parts.join(one.after + one.insert);
  }, text) as string;
}
