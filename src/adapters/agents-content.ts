import type { AgentInputItem } from '@openai/agents';
import { base64Of, isRecord, keyOf } from './content.ts';

type Part = Record<string, unknown>;

/** Parts of messages and of results, which the SDK names in several ways, as the Responses API has them. */
export function contentOf(content: unknown): unknown {
  return Array.isArray(content) ? content.filter(isRecord).map(blockOf) : content;
}

function blockOf(part: Part): Part {
  const { type, text = '', image, audio, format, refusal } = part;
  switch (type) {
    case 'text':
      return { type: 'input_text', text };
    case 'refusal':
      return { type, refusal };
    case 'image':
    case 'input_image':
      return imageBlock(image);
    case 'file':
    case 'input_file':
      return fileBlock(part);
    case 'audio': {
      const where = isRecord(audio) ? audio : { data: audio };
      return { type: 'input_audio', input_audio: { ...where, format: format ?? 'wav' } };
    }
    default:
      return { type, text };
  }
}

function imageBlock(image: unknown): Part {
  if (!isRecord(image)) return { type: 'input_image', image_url: image };
  const { id = image.fileId, url, data, mediaType } = image;
  if (data === undefined && url === undefined) return { type: 'input_image', file_id: id };
  const inlined = `data:${mediaType ?? 'image/png'};base64,${base64Of(data)}`;
  return { type: 'input_image', image_url: url ?? inlined };
}

function fileBlock({ file, filename }: Part): Part {
  const given: Part = isRecord(file) ? file : { [isAddress(file) ? 'url' : 'data']: file };
  const { id, url, data, mediaType, filename: name = filename } = given;
  const block = { type: 'input_file', ...(name !== undefined && { filename: name }) };
  if (id !== undefined) return { ...block, file_id: id };
  if (url !== undefined) return { ...block, file_url: url };
  const head = mediaType === undefined ? '' : `data:${mediaType};base64,`;
  return { ...block, file_data: `${head}${base64Of(data)}` };
}

const isAddress = (file: unknown) => typeof file === 'string' && /^https?:/.test(file);

/** A content with pictures, files or sound as the SDK names them; null for one that is a text. */
export function partsIn(content: unknown) {
  if (!Array.isArray(content)) return null;
  const parts = content.filter(isRecord);
  if (!parts.some(({ type }) => /^input_(?:image|file|audio)$/.test(String(type)))) return null;
  return parts.map(({ type, text, image_url, file_id, ...more }) => {
    const id = String(file_id);
    switch (type) {
      case 'input_image': {
        const image = typeof image_url === 'string' ? image_url : { id };
        return { type: 'input_image' as const, image };
      }
      case 'input_file': {
        const { file_url, file_data, filename } = more;
        const named = typeof filename === 'string' ? { filename } : {};
        const place = typeof file_url === 'string' ? { url: file_url } : { id };
        const file = typeof file_data === 'string' ? file_data : place;
        return { type: 'input_file' as const, file, ...named };
      }
      case 'input_audio': {
        const { data, id: kept, format }: Part = isRecord(more.input_audio) ? more.input_audio : {};
        const audio = typeof data === 'string' ? data : { id: String(kept) };
        return { type: 'audio' as const, audio, format: String(format) };
      }
      default:
        return { type: 'input_text' as const, text: String(text ?? '') };
    }
  });
}

/** The same of a result, which has no sound. */
export function filesIn(content: unknown) {
  return partsIn(content)?.flatMap((part) => (part.type === 'audio' ? [] : [part])) ?? null;
}

/** What the assistant has said. */
export function spokenIn(content: unknown) {
  const parts: Part[] = Array.isArray(content) ? content.filter(isRecord) : [{ text: content }];
  return parts.map(({ refusal, text }) =>
    typeof refusal === 'string'
      ? { type: 'refusal' as const, refusal }
      : { type: 'output_text' as const, text: String(text ?? '') },
  );
}

/**
 * The messages that the model was given in another shape, by that shape: the SDK keeps them so, and after a
 * compaction that is not all that was said.
 */
export function replaced(said: readonly AgentInputItem[], given: readonly AgentInputItem[]) {
  const known = new Set(said.map(keyOf));
  const originals = new Map<string, AgentInputItem>();
  for (const [index, item] of given.entries()) {
    const original = said[index];
    if (original === undefined || known.has(keyOf(item))) continue;
    if (roleOf(original) !== null && roleOf(original) === roleOf(item))
      originals.set(keyOf(item), original);
  }
  return originals;
}

function roleOf(item: AgentInputItem): string | null {
  return 'role' in item ? item.role : null;
}
