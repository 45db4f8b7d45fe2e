import type { Item, Speaker } from '../domain/items/item.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../domain/json.ts';
import { objectField } from './transcript.ts';

/**
 * What an attachment line stands for: a control item when it holds a file, todos, a plan or memory,
 * a user message when it brought words into the conversation, else the kind to skip it under.
 */
export function attachmentItem(line: JsonObject): Item | string {
  const attachment = objectField(line, 'attachment');
  const type = stringField(attachment, 'type') ?? 'unnamed';
  const item = convert(type, attachment);
  if (item === undefined) return `attachment:${type}`;
  if (typeof line.timestamp === 'string') item.timestamp = line.timestamp;
  return item;
}

function convert(type: string, attachment: JsonObject): Item | undefined {
  switch (type) {
    case 'file': {
      const file = objectField(objectField(attachment, 'content'), 'file');
      return control('file', attachment.filename ?? file.filePath, file.content);
    }
    case 'nested_memory':
      return control(
        'memory',
        attachment.path,
        objectField(attachment, 'content').content ?? attachment.content,
      );
    case 'plan_file_reference':
      return control('plan', attachment.planFilePath, attachment.planContent);
    case 'todo':
    case 'todo_reminder':
    case 'task_reminder':
      return Array.isArray(attachment.content)
        ? { type: 'attachment', attachment: { kind: 'todo', content: attachment.content } }
        : undefined;
    case 'edited_text_file':
      return editedFile(attachment);
    case 'queued_command':
      return queuedCommand(attachment);
    default:
      return undefined;
  }
}

function control(
  kind: 'file' | 'plan' | 'memory',
  path: Json | undefined,
  content: Json | undefined,
): Item | undefined {
  if (typeof path !== 'string' || typeof content !== 'string') return undefined;
  return { type: 'attachment', attachment: { kind, path, content } };
}

/**
 * The snippet shows changed lines only; as a file attachment it would pass for the whole file. There is
 * none where too much has changed.
 */
function editedFile(attachment: JsonObject): Item | undefined {
  const path = stringField(attachment, 'filename');
  const snippet = stringField(attachment, 'snippet');
  if (path === undefined) return undefined;
  const content =
    snippet === undefined || snippet === ''
      ? `${path} was changed outside this conversation.`
      : `Lines of ${path} after a change made outside this conversation:\n${snippet}`;
  return { role: 'user', content, is_meta: true };
}

/** Typed while the agent was working, or a notice of a background task: the model has read it. */
function queuedCommand(attachment: JsonObject): Item | undefined {
  const prompt = attachment.prompt;
  if (!isContent(prompt)) return undefined;
  const item: Item = { role: 'user', content: prompt };
  const mode = stringField(attachment, 'commandMode') ?? 'prompt';
  const speaker = speakerOfOrigin(attachment.origin);
  if (speaker !== undefined) item.speaker = speaker;
  // A notice in its tag says itself who reports: an agent, or a command in the background.
  const saysWho = JSON.stringify(prompt).includes('<task-notification');
  if (mode !== 'prompt' && !(mode === 'task-notification' && saysWho)) item.is_meta = true;
  return item;
}

/** Whose words a line holds, where it says so; a notice of a task says it in its text. */
export function speakerOfOrigin(origin: Json | undefined): Speaker | undefined {
  switch (isJsonObject(origin) ? stringField(origin, 'kind') : undefined) {
    case 'peer':
    case 'coordinator':
    case 'observer':
    case 'observer-activity':
      return 'subagent';
    case 'channel':
    case 'auto-continuation':
      return 'program';
    default:
      return undefined;
  }
}

function isContent(value: Json | undefined): value is string | JsonObject[] {
  if (typeof value === 'string') return value !== '';
  return Array.isArray(value) && value.length > 0 && value.every(isJsonObject);
}
