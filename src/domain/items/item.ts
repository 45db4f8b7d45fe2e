import { z } from 'zod';
import type { Json, JsonObject } from '../json.ts';

/** An item exactly as the client sent it: a message of the session's format or a control item. */
export type Item = JsonObject;

const tokens = z.int().min(0);

/** Token figures of one model call, in tokens, whatever names the provider gives them. */
export const usageSchema = z.strictObject({
  input: tokens,
  output: tokens,
  cache_read: tokens,
  cache_creation: tokens,
});
export type Usage = z.infer<typeof usageSchema>;

/** The bytes of an image or a file, or where they lie, when they can travel to another format. */
export type Source =
  | { kind: 'base64'; media_type: string; data: string }
  | { kind: 'url'; url: string };
export type ImagePart = { kind: 'image'; width?: number; height?: number; source?: Source };
export type TextPart = { kind: 'text'; text: string };
/** A part that no codec names: kept, counted as its JSON, shown as its JSON. */
export type OpaquePart = { kind: 'opaque'; json: Json };
/** `source` is the block's own JSON, which is what its token count is taken from (SPEC 5). */
type ThinkingPart = { kind: 'thinking'; text: string; source: Json };

/**
 * A call of a tool. `input` is the decoded input (parsed JSON arguments where they parse, else the
 * raw string); `source` is the block's own JSON, which is what its token count is taken from.
 */
export type ToolCall = {
  kind: 'tool_call';
  id: string;
  /** Another id that a result may name it by: a local shell call has two. */
  other_id?: string;
  name: string;
  input: Json;
  source: Json;
};
export type ToolResult = {
  kind: 'tool_result';
  call_id: string;
  content: (TextPart | ImagePart | OpaquePart)[];
  is_error: boolean;
  /** What a command has printed was shown, and not how it has ended. */
  is_exit_hidden?: true;
  /** Nobody knows whether the call was made: it stands in a branch of a script, or behind a failure. */
  is_in_doubt?: true;
};
export type Part = TextPart | ImagePart | ThinkingPart | ToolCall | ToolResult | OpaquePart;

/** Fields of ours that a message may carry and that providers would refuse (SPEC section 4). */
export const OWN_MESSAGE_FIELDS = [
  'model',
  'usage',
  'is_meta',
  'is_compact_summary',
  'is_visible_in_transcript_only',
  'is_api_error_message',
  'is_cut_off',
  'is_hidden_from_client',
  'timestamp',
  'agent_id',
  'speaker',
] as const;

export type Role = 'system' | 'user' | 'assistant';

/** Who can speak in a conversation (SPEC 2, section 25); `program` is the agent's own client. */
export const SPEAKERS = [
  'user',
  'assistant',
  'tool',
  'subagent',
  'hook',
  'program',
  'project_instructions',
  'summary',
] as const;
export type Speaker = (typeof SPEAKERS)[number];
/** What one speaker says in a text. */
export type Utterance = { speaker: Speaker; text: string };

export type Message = {
  kind: 'message';
  role: Role;
  parts: Part[];
  id?: string;
  model?: string;
  usage?: Usage;
  is_meta: boolean;
  is_compact_summary: boolean;
  is_api_error_message: boolean;
  agent_id?: string;
  /** Of the user who speaks, where several do and the format has a field for it. */
  name?: string;
  /** What the client says about it; without it, role, flags and text tell (`speakerOf`). */
  speaker?: Speaker;
  /**
   * What a program tells in it as a result that nobody has asked for, of which a later one stands for it, or
   * another agent in a message that no summary stands for.
   */
  told_as?: string;
};
/** As what a message is told in which another agent says what is to be done. */
export const AGENT_TASK = 'task of an agent';

export type AttachmentKind = 'file' | 'todo' | 'plan' | 'memory';
export type Attachment = {
  kind: 'attachment';
  attachment: AttachmentKind;
  /** Path of a file or plan, when the attachment names one. */
  path?: string;
  /** The content as text: strings as they are, anything else as indented JSON. */
  text: string;
  is_empty: boolean;
  /** Which lines of the file the text holds, where a compaction has not put back all of it. */
  lines?: RestoredLines;
  /** Ids of the calls behind it whose changes of the file the text holds already. */
  calls?: readonly string[];
  /** A compaction has put it back: nobody has read the file anew. */
  is_restored?: true;
};

/**
 * Lines of a file inside a text: those from `from` to `to` stand there from its line `at` (from 0) on.
 * `total` is the number of lines of the file where it is known, `changed_by` what may have changed it
 * since.
 */
export type RestoredLines = {
  parts: { at: number; from: number; to: number }[];
  total: number | null;
  changed_by: string | null;
};
export type Normalised =
  | Message
  | Attachment
  | { kind: 'progress' }
  | { kind: 'system'; subtype: string; content: string }
  | { kind: 'ghost_snapshot' };

/** Control items have these `type`s in every format. */
export const CONTROL_TYPES = ['attachment', 'progress', 'system', 'ghost_snapshot'] as const;
