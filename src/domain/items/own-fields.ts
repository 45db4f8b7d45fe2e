import { isJsonObject, type Json, type JsonObject, stringField } from '../json.ts';
import type { ItemProblem } from './codec.ts';
import {
  type Item,
  type Message,
  OWN_MESSAGE_FIELDS,
  type Part,
  type Role,
  SPEAKERS,
  type Speaker,
} from './item.ts';
import { readUsage } from './usage.ts';

const FLAGS = [
  'is_meta',
  'is_compact_summary',
  'is_visible_in_transcript_only',
  'is_api_error_message',
  'is_cut_off',
  'is_hidden_from_client',
] as const;
const NAMES = ['id', 'model', 'agent_id'] as const;
const ONE_OF_SPEAKERS = `one of ${SPEAKERS.join(', ')}`;

/** The types of the fields that every message may carry; null counts as absent (SPEC section 4). */
export function checkOwnFields(item: JsonObject): ItemProblem[] {
  const problems: ItemProblem[] = [];
  const expect = (field: string, fits: (value: Json) => boolean, wanted: string) => {
    const value = item[field];
    if (value !== undefined && value !== null && !fits(value)) {
      problems.push({ path: [field], message: `"${field}" must be ${wanted}` });
    }
  };
  for (const flag of FLAGS) expect(flag, (value) => typeof value === 'boolean', 'true or false');
  for (const name of NAMES) expect(name, (value) => typeof value === 'string', 'a string');
  expect('speaker', (value) => speakerIn(value) !== undefined, ONE_OF_SPEAKERS);
  expect('usage', isJsonObject, 'an object with the token figures of the model call');
  expect(
    'timestamp',
    (value) => typeof value === 'string' || typeof value === 'number',
    'a string or a number',
  );
  return problems;
}

/** The item without our own fields (SPEC section 4). */
export function withoutOwnFields(item: Item): Item {
  const own = new Set<string>(OWN_MESSAGE_FIELDS);
  return Object.fromEntries(Object.entries(item).filter(([field]) => !own.has(field)));
}

/** The normalised message of an item: the given role and parts, the rest from its own fields. */
export function messageOf(item: Item, role: Role, parts: Part[]): Message {
  const id = stringField(item, 'id');
  const model = stringField(item, 'model');
  const usage = readUsage(item.usage);
  const agentId = stringField(item, 'agent_id');
  const speaker = speakerIn(item.speaker);
  return {
    kind: 'message',
    role,
    parts,
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
    is_meta: item.is_meta === true,
    is_compact_summary: item.is_compact_summary === true,
    is_api_error_message: item.is_api_error_message === true,
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(speaker !== undefined && { speaker }),
  };
}

function speakerIn(value: Json | undefined): Speaker | undefined {
  return SPEAKERS.find((speaker) => speaker === value);
}
