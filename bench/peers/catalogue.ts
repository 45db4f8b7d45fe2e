/** A system that is measured: where it is implemented, and the package whose version stands beside it. */
export type Entry = {
  name: string;
  module: string;
  member: string;
  version_of: string;
  on?: 'postgres';
};

/** Stores, each beside others on the same database; bare rows first. */
export const STORES: readonly Entry[] = [
  {
    name: 'bare INSERT, SQLite',
    module: './stores/bare.ts',
    member: 'bareSqlite',
    version_of: 'better-sqlite3',
  },
  {
    name: 'Palimpsest, SQLite',
    module: './stores/palimpsest.ts',
    member: 'oursOnSqlite',
    version_of: 'palimpsest',
  },
  {
    name: 'LangGraph SqliteSaver',
    module: './stores/langgraph.ts',
    member: 'langgraphOnSqlite',
    version_of: '@langchain/langgraph-checkpoint-sqlite',
  },
  {
    name: 'emmett, SQLite',
    module: './stores/emmett.ts',
    member: 'emmettOnSqlite',
    version_of: '@event-driven-io/emmett-sqlite',
  },
  {
    name: 'Mastra memory, libSQL',
    module: './stores/mastra.ts',
    member: 'mastraOnLibsql',
    version_of: '@mastra/memory',
  },
  {
    name: 'pi, session file',
    module: './stores/pi.ts',
    member: 'piOnFile',
    version_of: '@mariozechner/pi-coding-agent',
  },
  {
    name: 'bare INSERT, PostgreSQL',
    module: './stores/bare.ts',
    member: 'barePostgres',
    version_of: 'pg',
    on: 'postgres',
  },
  {
    name: 'Palimpsest, PostgreSQL',
    module: './stores/palimpsest.ts',
    member: 'oursOnPostgres',
    version_of: 'palimpsest',
    on: 'postgres',
  },
  {
    name: 'LangGraph PostgresSaver',
    module: './stores/langgraph.ts',
    member: 'langgraphOnPostgres',
    version_of: '@langchain/langgraph-checkpoint-postgres',
    on: 'postgres',
  },
  {
    name: 'emmett, PostgreSQL',
    module: './stores/emmett.ts',
    member: 'emmettOnPostgres',
    version_of: '@event-driven-io/emmett-postgresql',
    on: 'postgres',
  },
  {
    name: 'Mastra memory, PostgreSQL',
    module: './stores/mastra.ts',
    member: 'mastraOnPostgres',
    version_of: '@mastra/memory',
    on: 'postgres',
  },
];

/** Ways to make a context of 200,000 tokens smaller, without the time of a model. */
export const COMPACTIONS: readonly Entry[] = [
  {
    name: 'parse its JSON',
    module: './compactions/bare.ts',
    member: 'parseOnly',
    version_of: 'better-sqlite3',
  },
  {
    name: 'Palimpsest, micro',
    module: './compactions/palimpsest.ts',
    member: 'oursMicro',
    version_of: 'palimpsest',
  },
  {
    name: 'Palimpsest, full from the log',
    module: './compactions/palimpsest.ts',
    member: 'oursFull',
    version_of: 'palimpsest',
  },
  {
    name: 'LangChain trimMessages',
    module: './compactions/langchain.ts',
    member: 'langchainTrim',
    version_of: 'langchain',
  },
  {
    name: 'LangChain summarizationMiddleware',
    module: './compactions/langchain.ts',
    member: 'langchainSummary',
    version_of: 'langchain',
  },
  {
    name: 'AI SDK pruneMessages',
    module: './compactions/ai-sdk.ts',
    member: 'aiSdkPrune',
    version_of: 'ai',
  },
  {
    name: 'pi, compaction',
    module: './compactions/pi.ts',
    member: 'piCompaction',
    version_of: '@mariozechner/pi-coding-agent',
  },
];
