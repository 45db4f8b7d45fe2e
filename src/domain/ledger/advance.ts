import { withCallsApart } from '../items/calls-apart.ts';
import type {
  Attachment,
  Message,
  Normalised,
  Speaker,
  ToolCall,
  ToolResult,
} from '../items/item.ts';
import { isOfOperator, rewrittenKind } from '../items/operator.ts';
import { type Partners, partnersIn } from '../items/pairing.ts';
import { claimedBehind, saidBehind } from '../items/reminders.ts';
import { utterancesOf } from '../items/speaker.ts';
import { claimedBySystem } from '../items/system-notes.ts';
import { userWordsIn, withoutPastedSession, withoutQuestions } from '../items/user-words.ts';
import { stringsOf } from '../json.ts';
import { shortPath } from '../names.ts';
import type { FileAction } from '../workspace/action.ts';
import { actionsOfCall } from '../workspace/call-actions.ts';
import { Effort } from '../workspace/effort.ts';
import { folderNamedIn } from '../workspace/paths.ts';
import { planCallOf } from '../workspace/plan-tools.ts';
import { isPlaceholder, shownBy } from '../workspace/result-text.ts';
import { reportedBy } from '../workspace/subagents.ts';
import { approvedPlan } from './approved-plan.ts';
import { Artifacts } from './artifacts.ts';
import { Conclusions } from './conclusions.ts';
import { condensed, isOverfull, type Sizes } from './condense.ts';
import { Constraints } from './constraints.ts';
import {
  doneBy,
  givenBeside,
  givenTexts,
  hasTools,
  questionOf,
  unanswered,
  withSaid,
} from './conversation.ts';
import { Files, type Moment } from './files.ts';
import { gitHeadAfter, ranBy } from './git-head.ts';
import { toldBefore } from './inherit.ts';
import type { GitHead, LastSaid, Ledger } from './ledger.ts';
import { followContent, mentionShown } from './names-in-files.ts';
import { NameIndex, Spellings } from './names-index.ts';
import { outcomeOf } from './outcome.ts';
import { Plans } from './plans.ts';
import { jobLeft, processLeft, processOf } from './processes.ts';
import { Requests } from './requests.ts';
import { type Done, Runs } from './runs.ts';
import { agentAction, folderShown, writtenCall, writtenResult } from './written-commands.ts';

/** An item of the log, as it was before any result was cleared. */
export type LedgerItem = { seq: number; item: Normalised };

/**
 * Folds further items of a log, oldest first, into its ledger (SPEC 2, section 25). The cost depends on
 * these items only. Cut between a call and its result, the log would read as if the call were open.
 */
export function advanceLedger(ledger: Ledger, items: readonly LedgerItem[]): Ledger {
  if (items.length === 0) return ledger;
  const read = withCallsApart(items.map(({ item }) => item));
  const reading = { partners: partnersIn(read), effort: new Effort(), spellings: new Spellings() };
  let fold = new LedgerFold(ledger, reading);
  for (const [index, item] of read.entries()) {
    fold.add(item, index, items[index]?.seq ?? 0);
    // At once, so that it does not matter where the log is cut.
    if (isOverfull(fold.sizes())) fold = new LedgerFold(condensed(fold.ledger()), reading);
  }
  return fold.ledger();
}

/** What goes on through a fold, however often its ledger is condensed. */
type Reading = { partners: Partners; effort: Effort; spellings: Spellings };

class LedgerFold {
  private readonly start: Ledger;
  private readonly partners: Partners;
  private readonly effort: Effort;
  private readonly requests: Requests;
  private readonly constraints: Constraints;
  private readonly conclusions: Conclusions;
  private readonly files: Files;
  private readonly runs: Runs;
  private readonly artifacts: Artifacts;
  private readonly names: NameIndex;
  private readonly plans: Plans;
  private gitHead: GitHead;
  private inherited: Ledger['inherited'];
  private said: LastSaid[];
  private folder: string | null;
  private shell: string | null;
  private through: number;
  private at: number;
  private calls: number;

  constructor(ledger: Ledger, { partners, effort, spellings }: Reading) {
    this.start = ledger;
    this.partners = partners;
    this.effort = effort;
    this.requests = new Requests(ledger.requests);
    this.constraints = new Constraints(ledger.constraints);
    this.conclusions = new Conclusions(ledger.conclusions);
    this.files = new Files(ledger.files, ledger.git);
    this.runs = new Runs(ledger.runs, ledger.failures, ledger.tools, ledger.open_calls);
    this.artifacts = new Artifacts(ledger.artifacts);
    this.names = new NameIndex(ledger.names, spellings);
    this.gitHead = ledger.git_head;
    this.inherited = ledger.inherited;
    this.plans = new Plans(ledger.plan);
    this.said = ledger.said;
    this.folder = ledger.folder;
    this.shell = ledger.shell;
    this.through = ledger.through;
    this.at = ledger.items;
    this.calls = ledger.calls;
  }

  ledger(): Ledger {
    const { version, epochs, condensed } = this.start;
    return {
      version,
      through: this.through,
      inherited: this.inherited,
      items: this.at,
      calls: this.calls,
      requests: this.requests.facts(),
      constraints: this.constraints.facts(),
      conclusions: this.conclusions.facts(),
      files: this.files.facts(),
      git: this.files.gitState(),
      git_head: this.gitHead,
      ...this.runs.facts(),
      plan: this.plans.fact(),
      artifacts: this.artifacts.facts(),
      names: this.names.facts(this.at),
      said: this.said,
      epochs,
      folder: this.folder,
      shell: this.shell,
      condensed,
    };
  }

  sizes(): Sizes {
    // All by name: it is asked after every item, and names behind a spread take many times as long.
    const { runs, failures, tools, open_calls } = this.runs.sizes();
    return {
      requests: this.requests.size,
      request_characters: this.requests.characters,
      constraints: this.constraints.size,
      conclusions: this.conclusions.size,
      files: this.files.size,
      runs,
      failures,
      tools,
      open_calls,
      artifacts: this.artifacts.size,
      names: this.names.size,
      epochs: this.start.epochs.length,
    };
  }

  /** `index`: the place among the items of this fold. */
  add(item: Normalised, index: number, seq: number): void {
    this.through = seq;
    this.at++;
    if (item.kind === 'attachment') this.attachment(item, seq);
    else if (item.kind === 'message') this.message(item, index, seq);
  }

  private attachment(item: Attachment, seq: number): void {
    const file = item.path === undefined ? undefined : shortPath(item.path);
    const text = `${item.path ?? ''}\n${item.text}`;
    this.names.mention(text, 'tool_output', this.moment(seq), file);
    if (item.attachment === 'file' && item.path !== undefined && item.is_restored !== true) {
      this.files.apply({ kind: 'seen', path: item.path, text: null }, '', this.moment(seq));
    }
    this.plans.attachment(item, this.moment(seq));
  }

  private message(message: Message, index: number, seq: number): void {
    if (message.is_api_error_message || message.is_meta) return;
    const isInstruction = isOfOperator(message) && rewrittenKind(message) === null;
    const utterances = utterancesOf(message);
    for (const [place, part] of message.parts.entries()) {
      switch (part.kind) {
        case 'text':
          for (const { speaker, text } of utterances[place] ?? []) {
            // Most stay in the context as they are, and what they name with them: only those that do not
            // fit are told. What a program puts beside what others say there is about itself.
            if (isInstruction && utterances[place]?.length === 1) {
              this.constraints.instruct(text, seq);
            } else this.text(speaker, text, hasTools(message), seq);
          }
          if (message.role === 'system') {
            this.requests.claim(claimedBySystem(part.text), 'hooks and servers', seq);
          }
          if (message.role !== 'assistant') this.moveTo(folderNamedIn(part.text));
          break;
        case 'tool_call':
          this.call(part, index, seq);
          break;
        case 'tool_result':
          this.result(part, index, seq);
          break;
        case 'opaque':
          for (const text of givenTexts(part.json)) {
            this.names.mention(text, 'tool_output', this.moment(seq));
          }
          break;
        case 'image':
        case 'thinking':
          break;
        default:
          part satisfies never;
      }
    }
    const { notes, isSpoken } = givenBeside(message);
    this.requests.addBeside(notes, isSpoken, seq);
  }

  private moveTo(folder: string | null): void {
    if (folder === null) return;
    this.folder = folder;
    this.shell = folder;
  }

  private text(speaker: Speaker, text: string, isBesideTools: boolean, seq: number): void {
    if (text.trim() === '') return;
    switch (speaker) {
      case 'user':
        this.request(text, unanswered(this.said, this.requests.facts().at(-1)), seq);
        return;
      case 'assistant':
        if (isPlaceholder(text)) return;
        this.names.mention(text, 'assistant', this.moment(seq));
        this.conclusions.read(text, 'assistant', seq);
        this.artifacts.read(text, seq);
        this.runs.said(text);
        this.said = withSaid(this.said, { seq, last_seq: seq, text, calls: this.calls });
        return;
      case 'subagent':
      case 'hook':
        this.names.mention(text, 'tool_output', this.moment(seq));
        this.conclusions.report(text, speaker, seq);
        return;
      case 'project_instructions':
        this.names.mention(text, 'tool_output', this.moment(seq));
        this.constraints.read(text, 'project_instructions', seq);
        return;
      case 'tool':
        this.names.mention(text, 'tool_output', this.moment(seq));
        this.runs.told(text, this.files, this.moment(seq));
        if (!isBesideTools) this.answerInWords(text, seq);
        return;
      case 'summary':
        this.inherit(text, seq);
        return;
      case 'program':
        this.runs.told(text, this.files, this.moment(seq));
        return;
      default:
        speaker satisfies never;
    }
  }

  private inherit(text: string, seq: number): void {
    const told = toldBefore(text, this.requests.facts().length, this.calls);
    if (told === null) return;
    this.inherited = { seq, last_seq: seq, text: told };
    this.names.mention(text, 'assistant', this.moment(seq));
  }

  /** `own`: the words without what they answer. */
  private request(words: string, before: string, seq: number, own = words): void {
    const [last] = this.said;
    if (last !== undefined && last.calls === this.calls) {
      this.conclusions.endOfTurn(last.text, last.seq);
      this.requests.end(last);
    }
    this.names.mention(words, 'user', this.moment(seq));
    this.requests.add(words, before, seq);
    const approved = approvedPlan(own, before);
    if (approved !== null) this.plans.approve(approved.plan, seq);
    const said = withoutPastedSession(approved?.own ?? own);
    this.constraints.read(said, 'user', seq, this.requests.facts().at(-2));
    this.conclusions.read(said, 'user', seq);
    this.artifacts.read(withoutPastedSession(words), seq);
  }

  /** Agents without tool calls write a call at the end of what they say; what it answers comes next. */
  private answerInWords(text: string, seq: number): void {
    const [last] = this.said;
    const call = last === undefined || last.calls !== this.calls ? null : writtenCall(last.text);
    if (call === null) return;
    this.moveTo(folderShown(text));
    // Such a shell shows no exit codes.
    this.carryOut(call, writtenResult(text), seq, false);
    const action = agentAction(doneBy(call).script ?? '', text);
    if (action !== null) this.act(action, '', this.moment(seq));
  }

  private call(call: ToolCall, index: number, seq: number): void {
    this.runs.wentOn();
    // Of a list of todos the words count, and not the states that they are in.
    const isPlan = planCallOf(call) !== null;
    for (const text of stringsOf(call.input)) {
      if (!isPlan || /\s/.test(text)) this.names.mention(text, 'assistant', this.moment(seq));
    }
    const partner = this.partners.results.get(call);
    // Some programs log a result in front of its call.
    if (partner !== undefined && partner.at < index) this.carryOut(call, partner.result, seq);
    if (partner === undefined) {
      this.calls++;
      const done = doneBy(call);
      this.runs.called(done, this.moment(seq));
      this.runs.left(call.id, done, this.moment(seq));
      this.plans.openCall(call, this.moment(seq));
    }
  }

  private result(result: ToolResult, index: number, seq: number): void {
    const partner = this.partners.calls.get(result);
    if (partner !== undefined && partner.at <= index) this.carryOut(partner.call, result, seq);
    if (partner === undefined) this.late(result, seq);
  }

  /** The answer to a tool of the provider may come long after its call: after a pause of the turn, say. */
  private late(result: ToolResult, seq: number): void {
    const moment = this.moment(seq);
    this.names.mention(shownBy(result), 'tool_output', moment);
    const done = this.runs.running(result.call_id);
    if (done === null) return;
    const outcome = outcomeOf(result, done.script, done.kind !== null);
    this.runs.ended(result.call_id, done, outcome, this.files, moment);
  }

  private carryOut(call: ToolCall, result: ToolResult, seq: number, hasCode?: boolean): void {
    this.calls++;
    const moment = this.moment(seq);
    const own = doneBy(call);
    if (!result.is_in_doubt) this.runs.called(own, moment);
    const folders = { session: this.folder, shell: this.shell };
    const { actions, shell } = actionsOfCall(call, result, folders, this.effort);
    for (const action of actions) this.act(action, own.script ?? '', moment);
    if (!result.is_in_doubt) this.end(call, own, result, moment, hasCode);
    this.shell = shell;
    this.runs.changed(actions, moment);
    mentionShown(this.names, shownBy(result), actions, moment);
    const reports = result.is_in_doubt ? [] : reportedBy(call, result);
    for (const report of reports) this.conclusions.report(report, 'subagent', seq);
    for (const { speaker, text } of saidBehind(call, result)) {
      if (speaker !== 'user') this.text(speaker, text, true, seq);
    }
    this.requests.claim(claimedBehind(call, result), call.name, seq);
    const words = userWordsIn(call, result);
    const before = questionOf(call) || unanswered(this.said, this.requests.facts().at(-1));
    if (words !== null) this.request(words, before, seq, withoutQuestions(words));
    this.plans.call(call, result, moment);
  }

  /** What is said of a process that was left running is said of the command that has started it. */
  private end(
    call: ToolCall,
    own: Done,
    result: ToolResult,
    moment: Moment,
    hasCode: boolean | undefined,
  ): void {
    const process = processOf(call);
    const done = (process === null ? null : this.runs.running(process)) ?? own;
    const outcome = outcomeOf(result, done.script, done.kind !== null, hasCode, call.input);
    this.runs.ended(call.id, done, outcome, this.files, moment);
    this.runs.changedOutside(call, result, own, outcome, moment);
    if (done.script !== null) {
      const ran = ranBy(call, result, done.script, this.shell);
      this.gitHead = gitHeadAfter(this.gitHead, ran, moment.at);
    }
    const isRunning = outcome.kind === 'running';
    const left = isRunning ? (processLeft(result, done.script) ?? process) : jobLeft(call, result);
    if (left !== null) this.runs.left(left, done, moment);
    else if (process !== null) this.runs.close(process);
    this.runs.asked(call, result, outcome, this.files, moment);
  }

  private act(action: FileAction, script: string, moment: Moment): void {
    this.files.apply(action, script, moment);
    followContent(this.names, action, script);
    this.plans.file(action, moment.seq);
  }

  private moment(seq: number): Moment {
    return { seq, at: this.at, call: this.calls };
  }
}
