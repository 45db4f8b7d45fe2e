/** Everything that pages hold, one after the other; each page begins after the place of the last one before it. */
export async function* byPlace<T extends { place: number }>(
  pageAfter: (place: number) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  for (let after = 0; ; ) {
    const page = await pageAfter(after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.place;
  }
}
