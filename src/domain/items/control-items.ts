import { isJsonObject, type Json, type JsonObject, stringField } from '../json.ts';
import type { ItemProblem } from './codec.ts';
import {
  type Attachment,
  type AttachmentKind,
  CONTROL_TYPES,
  type Item,
  type Message,
  type Normalised,
  type RestoredLines,
} from './item.ts';

const ATTACHMENT_KINDS = ['file', 'todo', 'plan', 'memory'] as const satisfies AttachmentKind[];

type ControlType = (typeof CONTROL_TYPES)[number];

/** Whether the item is one of our own kinds, which have the same shape in every format. */
export function isControlItem(item: JsonObject): boolean {
  return controlType(item) !== undefined;
}

function controlType(item: JsonObject): ControlType | undefined {
  return CONTROL_TYPES.find((type) => type === item.type);
}

/** The shape rules of a control item (SPEC section 4). */
export function checkControlItem(item: JsonObject): ItemProblem[] {
  switch (controlType(item)) {
    case 'attachment':
      return checkAttachment(item.attachment);
    case 'system':
      return checkSystem(item);
    default:
      return [];
  }
}

function checkSystem(item: JsonObject): ItemProblem[] {
  const problems: ItemProblem[] = [];
  if (typeof item.subtype !== 'string') {
    problems.push({ path: ['subtype'], message: 'a system item needs a string "subtype"' });
  }
  if (item.content !== undefined && typeof item.content !== 'string') {
    problems.push({
      path: ['content'],
      message: 'the "content" of a system item must be a string',
    });
  }
  return problems;
}

function checkAttachment(attachment: Json | undefined): ItemProblem[] {
  if (!isJsonObject(attachment)) {
    return [{ path: ['attachment'], message: 'an attachment item needs an "attachment" object' }];
  }
  const kind = ATTACHMENT_KINDS.find((known) => known === attachment.kind);
  if (kind === undefined) {
    const known = ATTACHMENT_KINDS.map((name) => `"${name}"`).join(', ');
    return [{ path: ['attachment', 'kind'], message: `"kind" must be one of ${known}` }];
  }
  const problems: ItemProblem[] = [];
  const path = attachmentPath(attachment);
  if (kind === 'file' && (path === undefined || path === '')) {
    problems.push({
      path: ['attachment', 'path'],
      message: 'a file attachment needs its "path" (or "filename")',
    });
  }
  if (attachmentContent(kind, attachment) === undefined) {
    const wanted = kind === 'todo' ? '"content" or "todos"' : '"content"';
    problems.push({
      path: ['attachment', 'content'],
      message: `a ${kind} attachment needs ${wanted}`,
    });
  }
  return problems;
}

/** The normalised view of a control item that `checkControlItem` accepted. */
export function normaliseControlItem(item: Item): Normalised {
  switch (controlType(item)) {
    case 'attachment':
      return normaliseAttachment(isJsonObject(item.attachment) ? item.attachment : {});
    case 'system':
      return {
        kind: 'system',
        subtype: stringField(item, 'subtype') ?? '',
        content: stringField(item, 'content') ?? '',
      };
    case 'ghost_snapshot':
      return { kind: 'ghost_snapshot' };
    default:
      return { kind: 'progress' };
  }
}

function normaliseAttachment(attachment: JsonObject): Attachment {
  const kind = ATTACHMENT_KINDS.find((known) => known === attachment.kind) ?? 'memory';
  const path = attachmentPath(attachment);
  const content = attachmentContent(kind, attachment);
  const lines = kind === 'file' ? restoredLines(attachment.known_lines) : undefined;
  const calls = kind === 'file' ? stringsIn(attachment.known_calls) : [];
  return {
    kind: 'attachment',
    attachment: kind,
    ...(path !== undefined && { path }),
    text: typeof content === 'string' ? content : JSON.stringify(content ?? null, null, 2),
    is_empty: isEmptyContent(content),
    ...(lines !== undefined && { lines }),
    ...(calls.length > 0 && { calls }),
  };
}

function stringsIn(json: Json | undefined): string[] {
  return Array.isArray(json) ? json.filter((entry) => typeof entry === 'string') : [];
}

/** The lines that a compaction has noted of a file; undefined when there is no such note. */
function restoredLines(noted: Json | undefined): RestoredLines | undefined {
  if (!isJsonObject(noted) || !Array.isArray(noted.parts)) return undefined;
  const parts = noted.parts.flatMap((part) => {
    if (!isJsonObject(part)) return [];
    const { at, from, to } = part;
    const isRange = isPlace(at, 0) && isPlace(from, 1) && isPlace(to, from);
    return isRange ? [{ at, from, to }] : [];
  });
  const { total } = noted;
  return {
    parts,
    total: isPlace(total, 1) ? total : null,
    changed_by: stringField(noted, 'changed_by') ?? null,
  };
}

function isPlace(value: Json | undefined, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}

function attachmentPath(attachment: JsonObject): string | undefined {
  return stringField(attachment, 'path') ?? stringField(attachment, 'filename');
}

function attachmentContent(kind: AttachmentKind, attachment: JsonObject): Json | undefined {
  return attachment.content ?? (kind === 'todo' ? attachment.todos : undefined);
}

function isEmptyContent(content: Json | undefined): boolean {
  if (content === undefined || content === null) return true;
  if (typeof content === 'string') return content.trim() === '';
  return typeof content === 'object' && Object.keys(content).length === 0;
}

/** What stands before the text of an attachment: it says what that is. */
function attachmentLabel({ attachment, path }: Attachment): string {
  switch (attachment) {
    case 'file':
      return `File ${path ?? '(no path)'} (as last known)`;
    case 'todo':
      return 'Todo list (current state)';
    case 'plan':
      return path === undefined ? 'Plan (current state)' : `Plan ${path} (current state)`;
    case 'memory':
      return path === undefined ? 'Memory' : `Memory ${path}`;
    default:
      return attachment satisfies never;
  }
}

/**
 * The items that reach the model: attachments as messages that `asUserMessage` makes of their
 * labelled text, the other control items left out (SPEC section 4).
 */
export function visibleItems(
  items: readonly Item[],
  asUserMessage: (text: string) => Item,
): Item[] {
  return items.flatMap((item) => {
    if (!isControlItem(item)) return [item];
    const control = normaliseControlItem(item);
    return control.kind === 'message' ? [] : visibleControl(control, asUserMessage);
  });
}

/** The same for one that is normalised already. */
export function visibleControl(
  control: Exclude<Normalised, Message>,
  asUserMessage: (text: string) => Item,
): Item[] {
  if (control.kind !== 'attachment' || control.is_empty) return [];
  return [asUserMessage(`${attachmentLabel(control)}:\n${control.text}`)];
}
