import { withCallsApart } from '../items/calls-apart.ts';
import type { Message, Normalised, ToolCall, ToolResult } from '../items/item.ts';
import { partnersIn } from '../items/pairing.ts';
import { changedBy, changesNamed } from './action.ts';
import { actionsOfCall, actionsOfOpenCall } from './call-actions.ts';
import { Effort } from './effort.ts';
import { FileBook } from './file-book.ts';
import type { KnownFile } from './kept-files.ts';
import { folderNamedIn, isNamedIn, resolved, withinReach } from './paths.ts';
import { type KnownPlan, type KnownTodos, PlanBook } from './plan-book.ts';
import { toldIn } from './program-notes.ts';

/** What a log tells of the files, the todos and the plan that its agent works with. */
export type KnownWorkspace = {
  files: KnownFile[];
  todos: KnownTodos | null;
  plan: KnownPlan | null;
  /** The folder that the session works in, where it is known. */
  folder: string | null;
  /** The calls that have changed files, and which, in their order: an id may come again. */
  changes: readonly { call: string; paths: readonly string[] }[];
};

/**
 * The one rule for what a log tells of files, todos and plan; restoring and the summary both use it.
 * It stands on items and tokens, and below policy, context and compaction, which may ask it.
 *
 * Folds items, oldest first, to the newest known content of files, todos and plan: full and partial
 * reads, writes, edits replayed, what shells print, and what an earlier compaction restored. Places
 * (`at`) are indexes into `items`. The work is bounded, whatever the items hold.
 */
export function foldWorkspace(
  items: readonly Normalised[],
  startFolder: string | null = null,
): KnownWorkspace {
  return foldAround(items, items.length, startFolder).after;
}

/** The same in one go for the items before `cut`, which parts no call from its result, and for all of them. */
export function foldAround(
  items: readonly Normalised[],
  cut: number,
  startFolder: string | null = null,
): { before: KnownWorkspace; after: KnownWorkspace } {
  const nothing = { files: [], todos: null, plan: null, folder: startFolder, changes: [] };
  let before: KnownWorkspace | undefined;
  try {
    const read = withCallsApart(items);
    const fold = workspaceFold(read, startFolder);
    for (const [at, item] of read.entries()) {
      if (at === cut) before = fold.known();
      fold.add(item, at);
    }
    const after = fold.known();
    return { before: before ?? after, after };
  } catch (error) {
    // A text or a stack longer than the engine has: the items stay in the log, and every later
    // compaction would fail in the same way. Without files, it can be carried out.
    if (!(error instanceof RangeError)) throw error;
    return { before: before ?? nothing, after: nothing };
  }
}

function workspaceFold(
  items: readonly Normalised[],
  startFolder: string | null,
): { add: (item: Normalised, at: number) => void; known: () => KnownWorkspace } {
  const effort = new Effort();
  const files = new FileBook(effort);
  const plans = new PlanBook();
  const partners = partnersIn(items);
  const answered = new Set<ToolCall>();
  const changes: KnownWorkspace['changes'][number][] = [];
  let folder = startFolder;
  let shell = startFolder;
  const carryOut = (call: ToolCall, result: ToolResult, at: number) => {
    answered.add(call);
    const { actions, shell: end } = actionsOfCall(call, result, { session: folder, shell }, effort);
    shell = end;
    for (const action of actions) {
      files.apply(action, at, call.id);
      plans.file(action, at);
    }
    const paths = actions.filter(changesNamed).flatMap(changedBy);
    if (paths.length > 0) changes.push({ call: call.id, paths });
    files.carriedOut(call.id, paths);
    plans.call(call, result, at);
  };
  let before: Message | null = null;
  const tellOf = (message: Message, at: number) => {
    const last = before;
    before = message;
    if (message.role === 'assistant') return;
    for (const told of toldIn(message, last)) {
      const folders = { session: folder, shell };
      const actions =
        told.kind === 'action'
          ? withinReach(resolved(told.action, folder))
          : actionsOfCall(told.call, told.result, folders, effort).actions;
      for (const action of actions) files.apply(action, at);
    }
  };
  const add = (item: Normalised, at: number) => {
    if (item.kind === 'attachment') {
      if (item.attachment === 'file' && item.path !== undefined && item.text !== '') {
        files.put({ ...item, path: item.path }, at);
      }
      plans.attachment(item, at);
    }
    if (item.kind !== 'message') return;
    for (const part of item.parts) {
      const named =
        part.kind === 'text' && item.role !== 'assistant' ? folderNamedIn(part.text) : null;
      if (named !== null) {
        folder = named;
        shell = named;
      }
      if (part.kind !== 'tool_call' && part.kind !== 'tool_result') continue;
      // Carried out when both are there: some programs log a result in front of its call.
      if (part.kind === 'tool_result') {
        const asked = partners.calls.get(part);
        if (asked !== undefined && asked.at <= at && !answered.has(asked.call)) {
          carryOut(asked.call, part, at);
        }
        continue;
      }
      const answer = partners.results.get(part);
      if (answer === undefined) {
        const actions = actionsOfOpenCall(part, { session: folder, shell }, effort);
        for (const action of actions) files.apply(action, at);
        plans.openCall(part, at);
      } else if (answer.at <= at) {
        carryOut(part, answer.result, at);
      }
    }
    // After the results beside it: it tells what has happened since.
    tellOf(item, at);
  };
  const known = () => {
    const of = files.known();
    return { files: of, todos: plans.todos(), plan: plans.plan(of), folder, changes: [...changes] };
  };
  return { add, known };
}

/** The calls that have changed a file of this name: which of them is meant is not known before they come. */
export function callsOn(path: string, changes: KnownWorkspace['changes']): string[] {
  return changes.flatMap(({ call, paths }) => (isNamedIn(path, paths) ? [call] : []));
}
