import { isJsonObject, type Json } from '../json.ts';
import { parseInside } from '../json-text.ts';

// Answers to another task than that of writing a summary: the model has gone on with the conversation
// that it was to summarise.

/** What a model may do instead of summing up. */
export type OtherAnswer = 'tool_call' | 'patch' | 'reply';

/**
 * How calls are written as text, at the beginning of a line: with tags around all calls or one, with
 * the signs of served models, or, as Cline and Roo Code have it, in tags with the name of a tool.
 */
const CALL =
  /^(?:<(?:antml:)?(?:function_calls?|invoke|tool_calls?|tool_use|tool_code|use_tool)\b|<function=|\[TOOL_CALLS\]|<[|｜](?:python_tag|tool[_▁]calls?)|<(?:execute_command|read_file|write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|search_files|list_files|list_code_definition_names|codebase_search|browser_action|use_mcp_tool|access_mcp_resource|ask_followup_question|switch_mode|plan_mode_respond|update_todo_list|fetch_instructions)>)/m;
/** A call stands so near the start; further on it is quoted. */
const CALL_WITHIN = 300;
const PATCH = /^(?:\*\*\* Begin Patch|diff --git |--- \S.*\n\+\+\+ \S|@@ -\d|<{5,} SEARCH\b)/;
const FENCE = /^```[\w-]{0,20}\n/;

/** A longer reply says something besides. */
const LONGEST_REPLY = 1_200;
const NO_LETTERS = /^[^\p{L}]+/u;
/** Words that agree, before what the model is about to do. */
const AGREED =
  /^(?:(?:sure(?: thing)?|ok(?:ay)?|of course|certainly|absolutely|got it|great|perfect|al(?:l )?right|understood|yes|no problem|gerne|klar|natürlich|bien sûr|d'accord|claro|por supuesto|certo|конечно|хорошо|好的|当然|承知しました|わかりました)[!,.:;。，！、]*\s*)+/u;
/** How a reply goes on that begins the work, or asks the user. */
const REPLIES: readonly RegExp[] = [
  /^(?:i'll|i will|i'm going to|i am going to|let me|let's|now i'll|first,? i'll|next,? i'll) (?:now |first |just |quickly )?(?:start|begin|continue|proceed|look|check|open|read|run|fix|add|create|implement|update|inspect|search|take a look|go (?:on|ahead)|get (?:started|going|to work))\b/,
  /^here(?: is|'s) (?:how|what) i(?: would|'d| will|'ll| plan)/,
  /^(?:i'd|i would) be (?:happy|glad|delighted) to (?:help|assist)/,
  /^(?:could|can|would|will) you (?:please )?(?:tell|clarify|provide|share|let me know|specify|confirm|give|send|paste)\b/,
  /^(?:how can i help|what would you like|what do you want|which (?:one )?(?:would|do) you|(?:do|would) you (?:want|like) me|(?:shall|should) i )/,
  /^before i (?:start|begin|proceed|continue|go on)\b/,
  // German, French, Spanish, Portuguese, Italian, Russian
  /^(?:ich (?:beginne|fange|starte|schaue|werde (?:jetzt|nun|zuerst))|(?:können|könnten) sie|(?:kannst|könntest) du|soll ich)\b/,
  /^(?:je (?:vais (?:commencer|d'abord|maintenant)|commence)|pouvez-vous|pourriez-vous|peux-tu)(?![\p{L}])/u,
  /^(?:voy a (?:empezar|comenzar|revisar)|empezaré|comenzaré|(?:puedes|podrías|quieres))(?![\p{L}])/u,
  /^(?:vou (?:começar|verificar)|começarei|(?:você )?pode(?:ria)? me|inizio|comincio|vado a|potresti|puoi)(?![\p{L}])/u,
  /^(?:я (?:начну|сейчас)|сейчас я|не могли бы вы|можете ли вы)(?![\p{L}])/u,
  // Chinese, Japanese
  /^(?:我(?:会|将)?(?:先|现在|来)|让我|请(?:问|提供|告诉))|^(?:まず|これから|教えて)/,
];
/** A first sentence with one of these words says that a summary follows. */
const IS_ABOUT_IT = /summar|recap|overview|hand(?:ing)? ?(?:off|over)|zusammenf|résum|resum|riassu/;

/** What an answer is instead of a summary; null when it may be one. */
export function otherAnswer(content: string): OtherAnswer | null {
  const text = content.trimStart().replace(FENCE, '');
  if (isCall(text)) return 'tool_call';
  if (PATCH.test(text.slice(0, LONGEST_REPLY))) return 'patch';
  return isReply(content) ? 'reply' : null;
}

function isCall(text: string): boolean {
  const tag = text.slice(0, CALL_WITHIN + 50).search(CALL);
  if (tag >= 0 && tag <= CALL_WITHIN) return true;
  if (!/^[[{]/.test(text)) return false;
  const json = parseInside(text.trimEnd().replace(/```$/, ''));
  const calls: readonly (Json | undefined)[] = Array.isArray(json) ? json : [json];
  return calls.length > 0 && calls.every((call) => call !== undefined && isCallObject(call));
}

/** A name with arguments, as the wire formats and the prompts for served models have it. */
function isCallObject(call: Json): boolean {
  if (!isJsonObject(call)) return false;
  if (Array.isArray(call.tool_calls)) return true;
  const { function: fn } = call;
  if (isJsonObject(fn)) return isCallObject(fn);
  const hasName = ['name', 'tool', 'tool_name', 'function', 'recipient_name', 'action'].some(
    (key) => typeof call[key] === 'string',
  );
  const hasInput = ['arguments', 'parameters', 'input', 'args', 'tool_input', 'action_input'].some(
    (key) => call[key] !== undefined,
  );
  return hasName && hasInput;
}

function isReply(content: string): boolean {
  const text = content
    .trim()
    .toLowerCase()
    .slice(0, LONGEST_REPLY + 1)
    .replaceAll('’', "'");
  if (text.length > LONGEST_REPLY) return false;
  const start = text.replace(NO_LETTERS, '').replace(AGREED, '').replace(NO_LETTERS, '');
  const [first = ''] = start.split(/[.!?\n。！？]/u);
  return !IS_ABOUT_IT.test(first) && REPLIES.some((reply) => reply.test(start));
}
