import { isJsonObject, type JsonObject, objectsIn } from '../domain/json.ts';
import { type Content, entriesOf } from './transcript.ts';

/** What no importer reads, by what nobody else writes, and what to do about it. */
const FOREIGN: readonly { isOwn: (entry: JsonObject) => boolean; advice: string }[] = [
  {
    isOwn: (entry) => isLangChain(entry) || objectsIn(entry.messages).some(isLangChain),
    advice:
      'It holds messages of LangChain: convert them to OpenAI chat messages, in Python with ' +
      '`convert_to_openai_messages`, and import those.',
  },
  {
    isOwn: ({ type, say, ask }) =>
      (type === 'say' && typeof say === 'string') || (type === 'ask' && typeof ask === 'string'),
    advice:
      'It is what Cline or Roo Code shows: import the file api_conversation_history.json beside it.',
  },
  {
    isOwn: (entry) => isOfOpenHands(entry) || objectsIn(entry.history).some(isOfOpenHands),
    advice:
      'It holds events of OpenHands: import what it sent to the model, which it writes with ' +
      '`log_completions = true`.',
  },
  {
    isOwn: ({ type, source, content }) =>
      /^(?:\w{1,40}Message|ToolCall\w{1,20}Event)$/.test(String(type)) &&
      typeof source === 'string' &&
      content !== undefined,
    advice:
      'It holds messages of AutoGen: write each as {"role", "name", "content"}, with "source" as ' +
      '"name" and "user" or "assistant" as "role".',
  },
  {
    isOwn: ({ type, item }) => type === 'item.completed' && isJsonObject(item),
    advice:
      'It is what `codex exec --json` prints, which says less than the session that Codex keeps: ' +
      'import that from ~/.codex/sessions.',
  },
  {
    isOwn: ({ conversations }) => objectsIn(conversations).some(({ from }) => from !== undefined),
    advice:
      'It holds conversations of ShareGPT: write "from" as "role" ("human" as "user", "gpt" as ' +
      '"assistant"), "value" as "content" and "conversations" as "messages".',
  },
  {
    isOwn: ({ mapping }) => isJsonObject(mapping),
    advice:
      'It is an export of ChatGPT, which is a tree: write the messages of one branch as ' +
      '{"role", "content"}, one a line.',
  },
  {
    isOwn: ({ chat_messages: messages }) => Array.isArray(messages),
    advice:
      'It is an export of claude.ai: write each message as {"role", "content"}, with "human" as ' +
      '"user", one a line.',
  },
  {
    isOwn: (entry) =>
      [entry, ...objectsIn(entry.contents), ...objectsIn(entry.history)].some(isOfGemini),
    advice:
      'It holds contents of the Gemini API: write each as an OpenAI chat message, with "model" as ' +
      '"assistant" and its calls in "tool_calls".',
  },
  {
    isOwn: (entry) => isOfConverse(entry) || objectsIn(entry.messages).some(isOfConverse),
    advice:
      'It holds messages of the Converse API of Bedrock, as Strands keeps them: write its blocks as ' +
      'the Anthropic API does, with "type".',
  },
  {
    isOwn: ({ schema_version: version, steps }) =>
      typeof version === 'string' && objectsIn(steps).some(({ step_id }) => step_id !== undefined),
    advice:
      'It is a trajectory in ATIF, as Harbor writes it: import the session that the agent itself ' +
      'has kept, which lies beside it.',
  },
  {
    isOwn: (entry) =>
      isOfManagedAgents(entry) || (isJsonObject(entry.raw) && isOfManagedAgents(entry.raw)),
    advice:
      'It holds events of Claude Managed Agents: write "user.message" and "agent.message" as messages ' +
      'of the Anthropic API, one a line, "agent.tool_use" as their block "tool_use" and ' +
      '"agent.tool_result" as a block "tool_result" of a message of the user.',
  },
  {
    isOwn: ({ type, tool_name, tool_input: input }) =>
      (type === 'tool_use' || type === 'tool_result') &&
      typeof tool_name === 'string' &&
      isJsonObject(input),
    advice:
      'It is what oh-my-opencode keeps for hooks, without the answers: import what `opencode export` ' +
      'prints of the session that the file is named after.',
  },
  {
    isOwn: ({ history, messages }) =>
      [...objectsIn(history), ...objectsIn(messages)].some(
        ({ role, content }) => typeof role === 'string' && typeof content === 'string',
      ),
    advice:
      'It holds messages of roles that no API knows, as teams of agents write them: name each "user" ' +
      'or "assistant" in "role", and the agent that speaks in "name".',
  },
  {
    isOwn: ({ custom_id, body, params }) =>
      typeof custom_id === 'string' && (isJsonObject(body) || isJsonObject(params)),
    advice: 'It is a batch: import what stands in "body" or "params" of its lines, one a line.',
  },
];

/** Whose file it is that no importer reads, and what to import in its place; '' for one that nobody knows. */
export function foreignAdvice(views: readonly Content[]): string {
  const entries = views.flatMap(entriesOf);
  const known = FOREIGN.find(({ isOwn }) => entries.some(isOwn));
  return known === undefined ? '' : ` ${known.advice}`;
}

const LANGCHAIN_TYPES: readonly unknown[] = ['human', 'ai', 'AIMessageChunk', 'HumanMessage'];

function isLangChain({ lc, id, type, data, content }: JsonObject): boolean {
  if (lc !== undefined && Array.isArray(id)) return true;
  return LANGCHAIN_TYPES.includes(type) && (isJsonObject(data) || content !== undefined);
}

function isOfOpenHands(entry: JsonObject): boolean {
  return typeof entry.source === 'string' && ('action' in entry || 'observation' in entry);
}

function isOfManagedAgents({ type, processed_at: at }: JsonObject): boolean {
  return typeof type === 'string' && /^(?:agent|session|user)\.\w+$/.test(type) && at !== undefined;
}

function isOfGemini({ role, parts }: JsonObject): boolean {
  return (role === 'user' || role === 'model') && objectsIn(parts).length > 0;
}

const CONVERSE_BLOCK =
  /^(?:toolUse|toolResult|reasoningContent|image|document|video|cachePoint|guardContent|citationsContent)$/;

/** A message with blocks that name no type but have its name as a field. */
export function isOfConverse({ role, content }: JsonObject): boolean {
  return (
    typeof role === 'string' &&
    objectsIn(content).some(
      (block) =>
        block.type === undefined &&
        (typeof block.text === 'string' ||
          Object.entries(block).some(
            ([name, value]) => CONVERSE_BLOCK.test(name) && isJsonObject(value),
          )),
    )
  );
}
