/** One prompt file: its text, and the version (`nine-sections@1`) that events record. */
export type Template = { version: string; text: string };
