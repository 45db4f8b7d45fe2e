import type { Call } from '../conversation.ts';
import { keysIn } from '../names.ts';
import { commandOf } from '../runs.ts';
import { normalised } from '../words.ts';
import { stringsOf } from './call-texts.ts';
import type { Log, Statement, Untrue } from './statement.ts';

const OPEN =
  /\bno (?:result|output|answer) (?:yet|so far)|\b(?:still|currently) (?:running|pending|executing)\b|\b(?:waiting for|awaiting)\b|\bnot (?:yet )?(?:finished|returned|completed|ended)\b|\bhas not (?:yet )?(?:finished|returned|ended)\b/i;
/** Items after which a call without a result is no longer awaited: it was interrupted. */
const LONG_AGO = 10;
/** A longer text is a report of its own. */
const LONGEST = 400;

/** What is said to have no result yet although it has one, or although nobody waits for it any more. */
export function wrongOpenCalls(statements: readonly Statement[], { conversation }: Log): Untrue[] {
  return statements.flatMap((statement): Untrue[] => {
    const { label, rest, text } = statement;
    if (text.length > LONGEST || !OPEN.test(`${label}: ${rest}`)) return [];
    return rest.split('; ').flatMap((piece): Untrue[] => {
      const meant = callsMeant(piece, conversation.calls, OPEN.test(label));
      if (meant.length === 0) return [];
      const isOpen = meant.some(
        ({ result, item }) => result === null && item >= conversation.items - LONG_AGO,
      );
      if (isOpen) return [];
      const why = meant.some(({ result }) => result === null)
        ? 'it was broken off'
        : 'it has a result';
      return [{ lie: 'no_result', text, why }];
    });
  });
}

/** The calls that a text can mean: by their words where these stand in it, else by tool and file, else, below a label, by the tool alone. */
function callsMeant(text: string, all: readonly Call[], isLabelled: boolean): Call[] {
  const normal = normalised(text);
  const bySubject = all.filter((call) => stringsOf(call).some((start) => normal.includes(start)));
  if (bySubject.length > 0) return bySubject;
  const calls = all.filter(({ name }) => new RegExp(`\\b${escaped(name)}\\b`).test(text));
  const keys = keysIn(text);
  const byFile = calls.filter(
    (call) =>
      commandOf(call) === null &&
      [...keysIn(JSON.stringify(call.input))].some((key) => keys.has(key)),
  );
  return byFile.length > 0 || !isLabelled ? byFile : calls;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
