import { z } from 'zod';

/** Version of the shape and of the rules below; a ledger of another one is folded anew from the log. */
export const LEDGER_VERSION = 20;

const seq = z.int().min(1);
const count = z.int().min(0);
const text = z.string();

/**
 * Where a fact was said and where it was last touched. `of`: the session whose numbers these are, where
 * that is not this one but one that it was forked from.
 */
const place = { seq, last_seq: seq, of: z.string().exactOptional() };

/**
 * What the user asked for, in order. A short reply stands together with what it answers (`answers`);
 * `ended`: how the assistant's last answer begins.
 */
const requestSchema = z.strictObject({
  ...place,
  text,
  answers: text.exactOptional(),
  ended: z.strictObject({ seq, text }).exactOptional(),
});
export type Request = z.infer<typeof requestSchema>;

/** What has to hold from now on; superseded by a later one that says otherwise about the same. */
const constraintSchema = z.strictObject({
  ...place,
  text,
  by: z.enum(['user', 'project_instructions']),
  /** The words say that it holds for good: always, never, from now on. */
  is_standing: z.boolean(),
  superseded_by: seq.exactOptional(),
  /** The user has taken it back there, and nothing stands in its place. */
  is_withdrawn: z.literal(true).exactOptional(),
});
export type Constraint = z.infer<typeof constraintSchema>;

/** What was chosen, and what was found out, in the words in which it was said. */
const conclusionSchema = z.strictObject({
  ...place,
  kind: z.enum(['decision', 'finding']),
  text,
  by: z.enum(['user', 'assistant', 'subagent', 'hook']),
});
export type Conclusion = z.infer<typeof conclusionSchema>;

/**
 * A file that was worked on. `added` are names that edits brought in and that no later one took away; where
 * it `is_rewritten`, written as a whole over what was there, some of them may have been there before.
 */
export const fileSchema = z.strictObject({
  ...place,
  path: text,
  reads: count,
  edits: count,
  state: z.enum(['present', 'deleted', 'moved']),
  is_created: z.boolean(),
  is_rewritten: z.literal(true).exactOptional(),
  moved_to: text.exactOptional(),
  /** What it was copied from, where nothing else is known of how it came about. */
  copied_from: text.exactOptional(),
  added: z.array(text),
  removed: z.array(text),
  /** The first line that the newest edit brought in. */
  line: text.exactOptional(),
  /** Calls that had been made when it was last touched, items folded when it was last changed; 0: never. */
  touched_at: count,
  changed_at: count,
  /** Items folded when it was first changed after its edits were last taken back; 0: never since. */
  edited_from: count,
  /** How many of the first names of `added` and `removed` the newest edit has brought, to be undone. */
  undoable: z.strictObject({ added: count, removed: count }).exactOptional(),
  /** Its edits before this item were taken back, or may have been; `is_aside`: they can come back. */
  taken_back: z
    .strictObject({ seq, by: text, is_certain: z.boolean(), is_aside: z.boolean() })
    .exactOptional(),
  /** How much it was worked on then, most of all lately: halves every few calls. */
  heat: z.number(),
});
export type File = z.infer<typeof fileSchema>;

/**
 * Items folded when git has last taken in changes, into its index and into a commit, and those of them
 * with which all that was changed certainly was; 0: never.
 */
const gitStateSchema = z.strictObject({
  staged_at: count,
  all_staged_at: count,
  committed_at: count,
  all_committed_at: count,
});
export type GitState = z.infer<typeof gitStateSchema>;

/**
 * Where Git stands, as it has told last. `folder`: the one that it was asked in, where that is known; `at`:
 * items folded when the commit was made, 0: it was only shown.
 */
const gitHeadSchema = z.strictObject({
  folder: text.nullable(),
  branch: text.nullable(),
  commit: z.strictObject({ id: text, subject: text, at: count }).nullable(),
});
export type GitHead = z.infer<typeof gitHeadSchema>;

const RUN_KINDS = ['test', 'build', 'check'] as const;
/** A command of tests, builds or checks: how it ended last. */
const runSchema = z.strictObject({
  ...place,
  command: text,
  kind: z.enum(RUN_KINDS),
  runs: count,
  failures: count,
  /** `unknown`: a pipe, `|| true`, a later command or the like hides its exit code. */
  outcome: z.enum(['ok', 'failed', 'unknown']),
  /** The first line that says why it failed, else the line that sums it up; '' where none does. */
  line: text,
});
export type Run = z.infer<typeof runSchema>;

/**
 * What failed, or was refused, and what cured it: the same worked later, and these files were changed before;
 * or, `otherwise`, the file that could not be changed was changed, a tool has mended what it complained of, or
 * it was called again and worked, for what nobody can tell.
 */
const failureSchema = z.strictObject({
  ...place,
  /** The call: its tool and what it was about. */
  what: text,
  key: text,
  lines: z.array(text),
  times: count,
  /** It was not carried out: the user, or a rule, did not let it. */
  is_refused: z.literal(true).exactOptional(),
  /** What the assistant said next; '' where it had gone on before, and what it then said is of something else. */
  said: text.exactOptional(),
  /** The assistant has called another tool since and has not said a word yet. */
  is_passed: z.literal(true).exactOptional(),
  failed_at: count,
  cure: z
    .strictObject({
      seq,
      files: z.array(text),
      otherwise: z.enum(['changed', 'mended', 'called']).exactOptional(),
    })
    .nullable(),
});
export type Failure = z.infer<typeof failureSchema>;

const todoSchema = z.strictObject({
  text,
  status: z.enum(['open', 'in progress', 'done', 'dropped']),
  /** By which later calls name it. */
  id: text.exactOptional(),
});
/** The newest todos and the newest plan in words. */
const planSchema = z.strictObject({
  ...place,
  /** Null: no list is known. `in_words`: it was written as lines, not as entries. */
  todos: z.array(todoSchema).nullable(),
  in_words: z.boolean(),
  text,
  /** The file that it was saved to, as the agent's program has said. */
  path: text.exactOptional(),
});
export type Plan = z.infer<typeof planSchema>;

/** A call without a result. */
const openCallSchema = z.strictObject({
  ...place,
  id: text,
  tool: text,
  subject: text,
  /** The command of a run that goes on, and what it runs. */
  script: text.exactOptional(),
  kind: z.enum(RUN_KINDS).exactOptional(),
  called_at: count,
});
export type OpenCall = z.infer<typeof openCallSchema>;

const ARTIFACT_KINDS = ['url', 'commit', 'version', 'port', 'id', 'number'] as const;
/** What can be looked up or has to be exact, with the words around it. */
const artifactSchema = z.strictObject({
  ...place,
  kind: z.enum(ARTIFACT_KINDS),
  value: text,
  context: text,
  times: count,
});
export type Artifact = z.infer<typeof artifactSchema>;

/** A name of the index: what its mentions weigh, and how much of that is of late. */
const nameSchema = z.strictObject({
  ...place,
  name: text,
  weight: z.number(),
  heat: z.number(),
  at: count,
  /** The file in whose content it was last met, with the folder that it is in. */
  file: text.exactOptional(),
});
export type Name = z.infer<typeof nameSchema>;

const toolSchema = z.strictObject({
  ...place,
  name: text,
  calls: count,
  /** Of a tool that changes something out there: the newest calls that did not fail. */
  changed: z.array(z.strictObject({ seq, text })).exactOptional(),
});
export type Tool = z.infer<typeof toolSchema>;

/** Words of the assistant; `calls` had been made before. */
const lastSaidSchema = z.strictObject({ ...place, text, calls: count });
export type LastSaid = z.infer<typeof lastSaidSchema>;

const inheritedSchema = z.strictObject({ ...place, text });

/** A stretch of the session that a full compaction has closed. */
const epochSchema = z.strictObject({
  from: seq,
  through: seq,
  /** When the compaction ended. */
  at: z.string(),
  /** When its last item was said, where the client told it. */
  said_at: z.string().exactOptional(),
  compaction_id: text,
  of: z.string().exactOptional(),
});
export type Epoch = z.infer<typeof epochSchema>;

/** The kinds of facts, as the API and the reports name them. */
export const FACT_KINDS = [
  'request',
  'constraint',
  'decision',
  'change',
  'run',
  'error',
  'finding',
  'plan',
  'open',
  'artifact',
  'name',
] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/**
 * What a log says that a successor needs (SPEC 2, section 25): a fold of its items, the same however
 * the log is cut into pieces between calls and results. Bounded; `condensed` counts what gave way.
 */
export const ledgerSchema = z.strictObject({
  version: z.literal(LEDGER_VERSION),
  /** The last item that was folded; 0: none. */
  through: count,
  /** What a client's own summary says of the time before the log, where the log begins with one. */
  inherited: inheritedSchema.nullable(),
  /** Items, and calls of tools, that were folded. */
  items: count,
  calls: count,
  requests: z.array(requestSchema),
  constraints: z.array(constraintSchema),
  conclusions: z.array(conclusionSchema),
  files: z.array(fileSchema),
  git: gitStateSchema,
  git_head: gitHeadSchema,
  runs: z.array(runSchema),
  failures: z.array(failureSchema),
  plan: planSchema.nullable(),
  open_calls: z.array(openCallSchema),
  artifacts: z.array(artifactSchema),
  names: z.array(nameSchema),
  tools: z.array(toolSchema),
  /** What the assistant has said last, the newest first. */
  said: z.array(lastSaidSchema),
  epochs: z.array(epochSchema),
  /** Folders that the session and its shell are in, as far as the log tells. */
  folder: z.string().nullable(),
  shell: z.string().nullable(),
  condensed: z.partialRecord(z.enum(FACT_KINDS), count),
});
export type Ledger = z.infer<typeof ledgerSchema>;

/** The ledger of a log without items. */
export const EMPTY_LEDGER: Ledger = {
  version: LEDGER_VERSION,
  through: 0,
  inherited: null,
  items: 0,
  calls: 0,
  requests: [],
  constraints: [],
  conclusions: [],
  files: [],
  git: { staged_at: 0, all_staged_at: 0, committed_at: 0, all_committed_at: 0 },
  git_head: { folder: null, branch: null, commit: null },
  runs: [],
  failures: [],
  plan: null,
  open_calls: [],
  artifacts: [],
  names: [],
  tools: [],
  said: [],
  epochs: [],
  folder: null,
  shell: null,
  condensed: {},
};
