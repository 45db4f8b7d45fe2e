/** What came of a search, for those who watch over it. */
export type SearchTold = {
  /** One session with what a fork has from its parents, or all of the tenant. */
  scope: 'session' | 'all';
  /** `words`: by the index; `expression`: by reading the items. */
  way: 'words' | 'expression';
  /** With its wait for the index. */
  seconds: number;
  /** Ids of the sessions that it left out, since the archive has lost their files. */
  lost: string[];
};
