/** What a test file has made on the shared server, for `drop-databases.ts`. */

export type Database = { url: string; drop: () => Promise<void> };

export const made: Database[] = [];
/** Empty ones that were used before: to make one takes five times as long as to empty it. */
export const idle: Database[] = [];
