type ServerEvent = { id: string | null; event: string; data: string };

/**
 * The events of a `text/event-stream`, however its bytes are cut. Lines end with CR, LF or both, as the
 * standard has it; comments are left out.
 */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let event = { id: null as string | null, event: 'message', data: [] as string[] };
  for await (const line of lines(body)) {
    if (line === '') {
      if (event.data.length > 0) yield { ...event, data: event.data.join('\n') };
      event = { id: null, event: 'message', data: [] };
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') event.data.push(value);
    else if (field === 'event') event.event = value;
    else if (field === 'id') event.id = value;
  }
}

/** The lines of a body; what follows the last end of line is a line only if `isWhole`. */
export async function* lines(
  body: ReadableStream<Uint8Array>,
  isWhole = false,
): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A CR at the end may be half of a CR LF.
      const end = !done && rest.endsWith('\r') ? rest.length - 1 : rest.length;
      const found = rest.slice(0, end).split(/\r\n|\r|\n/);
      rest = (found.pop() ?? '') + rest.slice(end);
      yield* found;
      if (done) break;
    }
    if (isWhole && rest !== '') yield rest;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
