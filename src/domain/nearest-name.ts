const MOST_EDITS = 3;
/** Share of the longer name that has to stay as it is. */
const LEAST_ALIKE = 0.4;

/**
 * The known name that a misspelt one most likely stands for; null when none is near. Case, `-` and
 * `_` make no difference. Linear in the names: those of another length are not compared.
 */
export function nearestName(name: string, known: Iterable<string>): string | null {
  const plain = plainName(name);
  let nearest: { name: string; edits: number } | null = null;
  for (const candidate of known) {
    const other = plainName(candidate);
    const longer = Math.max(plain.length, other.length);
    if (Math.abs(plain.length - other.length) > MOST_EDITS) continue;
    const edits = editsBetween(plain, other);
    if (edits > MOST_EDITS || (longer - edits) / longer <= LEAST_ALIKE) continue;
    if (nearest === null || edits < nearest.edits) nearest = { name: candidate, edits };
  }
  return nearest?.name ?? null;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** Letters to insert, drop or replace, or neighbours to swap (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let edits = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        edits = Math.min(edits, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
