import { addTo } from '../../group-by.ts';
import type { JsonObject } from '../../json.ts';
import { SYSTEM_LABEL } from './encode.ts';
import type { Slot, Turn } from './turns.ts';

/** System messages that follow one run of user messages, with the content that they follow. */
type Group = { after: readonly Slot[]; message: Turn };

/**
 * Takes the system messages out of a conversation under construction and gives the way to put them
 * back. The API takes one such message after a user message, before the model's answer or at the end,
 * and no two in a row: those within one run of user messages become one after that run. Where no
 * user message is near, the text becomes a labelled user message, which may stand anywhere.
 */
export function takeSystemMessages(pieces: readonly Turn[]): {
  others: Turn[];
  putBack: (turns: readonly Turn[]) => Turn[];
} {
  const others: Turn[] = [];
  const groups: Group[] = [];
  for (const run of runsOf(pieces)) {
    const systems = run.filter(({ role }) => role === 'system');
    const users = run.filter(({ role }) => role !== 'system');
    for (const turn of users) others.push(turn);
    if (systems.length === 0) continue;
    const after = users.flatMap(({ slots }) => slots);
    const isNearUser = users.every(({ role }) => role === 'user') && after.length > 0;
    if (isNearUser) groups.push({ after, message: joined(systems) });
    else for (const turn of systems.flatMap(asUserMessage)) others.push(turn);
  }
  return { others, putBack: (turns) => putBack(turns, groups) };
}

/** An assistant message is a run of its own; all messages between two of them are one. */
function runsOf(pieces: readonly Turn[]): Turn[][] {
  const runs: Turn[][] = [];
  let current: Turn[] | undefined;
  for (const piece of pieces) {
    if (piece.role === 'assistant') {
      runs.push([piece]);
      current = undefined;
    } else if (current === undefined) {
      current = [piece];
      runs.push(current);
    } else current.push(piece);
  }
  return runs;
}

/** The later message decides where two of them set something; hidden is only what all of them hide. */
function joined(systems: readonly Turn[]): Turn {
  const [first, ...rest] = systems;
  if (first === undefined)
    return {
      role: 'system',
      id: undefined,
      isOfUser: false,
      fields: {},
      slots: [],
      isString: false,
    };
  if (rest.length === 0) return first;
  const { clear_at: clearAt, ...fields } = Object.assign({}, ...systems.map((one) => one.fields));
  const isHidden = systems.every((one) => one.fields.clear_at === clearAt);
  return {
    ...first,
    fields: isHidden && clearAt !== undefined ? { ...fields, clear_at: clearAt } : fields,
    slots: systems.flatMap(({ slots }) => slots),
    isString: false,
  };
}

function asUserMessage(system: Turn): Turn[] {
  const texts = system.slots.filter(({ block }) => block.type === 'text');
  if (texts.length === 0) return [];
  const label: JsonObject = { type: 'text', text: SYSTEM_LABEL };
  return [
    {
      role: 'user',
      isOfUser: false,
      id: undefined,
      fields: { role: 'user' },
      slots: [{ block: label, result: null, position: 0 }, ...texts],
      isString: false,
    },
  ];
}

function putBack(turns: readonly Turn[], groups: readonly Group[]): Turn[] {
  if (groups.length === 0) return [...turns];
  const place = new Map<Slot, Turn>();
  for (const turn of turns) for (const slot of turn.slots) place.set(slot, turn);
  const byTurn = new Map<Turn, Turn[]>();
  for (const { after, message } of groups) {
    const home = after.map((slot) => place.get(slot)).findLast((turn) => turn !== undefined);
    if (home !== undefined) addTo(byTurn, home, message);
  }
  return turns.flatMap((turn) => {
    const systems = byTurn.get(turn);
    return systems === undefined ? [turn] : [turn, joined(systems)];
  });
}
