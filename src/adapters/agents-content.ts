import type { AgentInputItem } from '@openai/agents';
import { base64Of, isRecord, keyOf } from './content.ts';

/** Parts of messages and of results, which name a picture in several ways. */
export function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.filter(isRecord).map(({ type, text, image }) => {
    if (type === 'text') return { type: 'input_text', text };
    if (type !== 'image' && type !== 'input_image') return { type, text: text ?? '' };
    if (!isRecord(image)) return { type: 'input_image', image_url: image };
    const { id = image.fileId, url, data, mediaType } = image;
    if (data === undefined && url === undefined) return { type: 'input_image', file_id: id };
    const inlined = `data:${mediaType ?? 'image/png'};base64,${base64Of(data)}`;
    return { type: 'input_image', image_url: url ?? inlined };
  });
}

/** A content with pictures as the SDK names them; null for one without. */
export function picturesIn(content: unknown) {
  if (!Array.isArray(content)) return null;
  const parts = content.filter(isRecord);
  if (!parts.some(({ type }) => type === 'input_image')) return null;
  return parts.map(({ type, text, image_url, file_id: id }) => {
    if (type !== 'input_image') return { type: 'input_text' as const, text: String(text ?? '') };
    const image = typeof image_url === 'string' ? image_url : { id: String(id) };
    return { type: 'input_image' as const, image };
  });
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
