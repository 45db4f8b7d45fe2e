/** One text for one value, in whichever order its keys come. */
export function keyOf(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** The text of a content that is a string or blocks. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((block) =>
    isRecord(block) && typeof block.text === 'string' ? block.text : '',
  );
  return texts.filter((text) => text !== '').join('\n');
}

/**
 * A picture or a file as a block of the Anthropic API, from a part as any framework has it: in `data`,
 * `url`, `image_url`, `file` or `source`, each of which may hold the next one. Null for what is no such
 * part, and for a file that only its provider can find.
 */
export function fileBlock(part: Record<string, unknown>): Record<string, unknown> | null {
  const { file, image_url = isRecord(file) ? file.file_data : undefined, url = image_url } = part;
  const { source, data = url, mediaType, mimeType, mime_type } = part;
  const isImage = /image|media/.test(String(part.type)) || /^image/.test(String(mediaType));
  const type = isImage ? 'image' : 'document';
  if (isRecord(source)) return { type, source };
  const given = mediaType ?? mimeType ?? mime_type ?? (isImage ? 'image/png' : 'application/pdf');
  if (data instanceof URL) return { type, source: { type: 'url', url: data.href } };
  if (isRecord(data) && !(data instanceof Uint8Array)) {
    if (data.type === 'text') return { type: 'text', text: data.text };
    return fileBlock({ type, mediaType: given, data: data.data ?? data.url });
  }
  const text = base64Of(data);
  if (typeof text !== 'string') return null;
  if (/^https?:/.test(text)) return { type, source: { type: 'url', url: text } };
  const [, media_type = given, encoded = text] = /^data:([^;,]+);base64,(.*)$/s.exec(text) ?? [];
  return { type, source: { type: 'base64', media_type, data: encoded } };
}

/** Bytes in Base64; what is a text is that already. */
export function base64Of(data: unknown): unknown {
  if (!(data instanceof Uint8Array)) return data;
  return btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(''));
}

const BASE64 = /^(?:data:[^,]*,)?[\w+/=-]{400,}$/;

/** Tokens of the JSON of a value at four bytes each, without its files: what goes over the line, roughly. */
export function tokensOf(value: unknown): number {
  const text = JSON.stringify(value, function (this: unknown, key: string, inner: unknown) {
    const original = isRecord(this) ? this[key] : inner;
    const isFile = typeof inner === 'string' ? BASE64.test(inner) : original instanceof Uint8Array;
    return isFile ? '' : inner;
  });
  return text === undefined ? 0 : Math.ceil(new TextEncoder().encode(text).length / 4);
}

/** Twelve hexadecimal digits that stand for a text. */
export async function digestOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes, 0, 6), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
