/** The ids of the calls of one message: a later one that is the same as an earlier one gets its number. */
export function uniqueIds(ids: readonly string[]): string[] {
  const taken = new Set(ids);
  const seen = new Set<string>();
  let use = 2;
  return ids.map((given) => {
    let id = given;
    if (seen.has(id)) {
      while (taken.has(`${given}_${use}`)) use++;
      id = `${given}_${use}`;
      taken.add(id);
    }
    seen.add(id);
    return id;
  });
}
