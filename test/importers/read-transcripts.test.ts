import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import { TranscriptError } from '../../src/importers/transcript.ts';
import { bytesOf, fixture, jsonLines, readOne } from './fixtures.ts';

const messages = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello' },
];

function errorOf(name: string, bytes: Uint8Array): TranscriptError {
  try {
    readTranscripts(name, bytes);
  } catch (error) {
    if (error instanceof TranscriptError) return error;
    throw error;
  }
  throw new Error(`${name} was read`);
}

describe('what a file is', () => {
  it('is decided by its content, gzipped or not', () => {
    const bytes = gzipSync(fixture('codex.jsonl'));
    expect(readOne('notes.txt', bytes)).toMatchObject({ name: 'notes.txt', source: 'codex' });
  });

  it('may be a single line', () => {
    const line = { type: 'user', uuid: 'u', parentUuid: null, message: messages[0] };
    expect(readOne('x', jsonLines([line])).source).toBe('claude-code');
  });

  it('is read past a byte order mark, blank lines and Windows line ends', () => {
    const text = `\uFEFF${messages.map((m) => JSON.stringify(m)).join('\r\n\r\n')}\r\n`;
    expect(readOne('x.jsonl', bytesOf(text)).items).toEqual(messages);
  });

  it.each([
    ['/a/b/my run (2).traj.json.gz', 'my-run--2-'],
    ['C:\\logs\\s.jsonl', 's'],
    ['.jsonl', 'transcript'],
    [`${'x'.repeat(300)}.json`, 'x'.repeat(116)],
  ])('%s is named %s', (file, name) => {
    expect(readOne(file, jsonLines(messages)).name).toBe(name);
  });
});

describe('what a file comes to', () => {
  const most = { bytes: 1_000_000, values: 1_000 };
  const reading = (name: string, text: string) => () =>
    readTranscripts(name, name.endsWith('.gz') ? gzipSync(text) : bytesOf(text), most);

  it('is limited, unpacked and in values', () => {
    const line = `${JSON.stringify(messages[0])}\n`;
    expect(reading('a.jsonl.gz', line.repeat(40_000))).toThrow(
      'a.jsonl.gz unpacks to over 1000000 bytes. Run "palimpsest import"',
    );
    expect(reading('a.jsonl', line.repeat(600))).toThrow(
      'a.jsonl holds more than 1000 JSON values',
    );
    expect(reading('a.jsonl', line.repeat(200))().map(({ items }) => items.length)).toEqual([200]);
  });

  it('is not asked where brackets are nested without end, which would take all memory', () => {
    const deep = '['.repeat(4_000_000);
    const parse = vi.spyOn(JSON, 'parse');
    const read = readOne('x.jsonl', bytesOf(`${JSON.stringify(messages[0])}\n${deep}\n`));
    expect(parse).not.toHaveBeenCalledWith(expect.stringContaining(deep));
    parse.mockRestore();
    expect(read).toMatchObject({ items: [messages[0]], skipped: { invalid_json: 1 } });
  });
});

describe('entries that cannot be imported', () => {
  it('are counted when a line is broken or no object', () => {
    const text = `${JSON.stringify(messages[0])}\n{"role": \n7\n${JSON.stringify(messages[1])}\n{"ro`;
    const read = readOne('x.jsonl', bytesOf(text));
    expect(read.items).toEqual(messages);
    expect(read.skipped).toEqual({ invalid_json: 2, not_an_object: 1 });
  });

  it('are counted when an element of an array is no object', () => {
    const read = readOne('x.json', bytesOf(JSON.stringify([...messages, 'end'])));
    expect(read.skipped).toEqual({ not_an_object: 1 });
  });

  it('are counted with the problem when the codec refuses them', () => {
    const read = readOne('x.jsonl', jsonLines([...messages, { role: 'user', content: 7 }]));
    expect(read.items).toEqual(messages);
    expect(Object.entries(read.skipped)).toEqual([[expect.stringMatching(/^invalid_item: ./), 1]]);
  });
});

describe('files that are refused', () => {
  it.each([
    ['', 'empty'],
    [' \n\n', 'empty'],
    ['just words\nand more', 'unknown_format'],
    ['{"a": 1}', 'unknown_format'],
    ['[1, 2]', 'unknown_format'],
    ['"text"', 'unknown_format'],
  ])('%j: %s', (text, code) => {
    expect(errorOf('x.jsonl', bytesOf(text)).code).toBe(code);
  });

  it('says what was seen and what is known', () => {
    const { message } = errorOf('x.jsonl', jsonLines([{ type: 'ping' }, { type: 'pong' }]));
    expect(message).toContain('2 JSON lines of the types "ping", "pong"');
    for (const source of ['claude-code', 'codex', 'openai-chat', 'swe-agent', 'pi', 'beam']) {
      expect(message).toContain(`${source}: `);
    }
  });

  it('names the probing questions of BEAM for what they are', () => {
    const error = errorOf('q.json', fixture('beam-probing_questions.json'));
    expect(error.code).toBe('not_a_transcript');
    expect(error.message).toContain('probing questions');
  });

  it('refuses messages of which none can be read, and says why', () => {
    const text = { type: 'text', text: 'Hi' };
    const lines = [
      { role: 'user', content: text },
      { role: 'assistant', content: text },
    ];
    const { code, message } = errorOf('chat.jsonl', jsonLines(lines));
    expect(code).toBe('unknown_format');
    expect(message).toMatch(
      /^chat\.jsonl looks like openai-chat, .*\(2 refused\): "content" must /,
    );
    expect(readOne('chat.jsonl', jsonLines([...messages, ...lines])).items).toHaveLength(2);
  });

  it('reports a cut gzip file', () => {
    const bytes = gzipSync(fixture('codex.jsonl')).subarray(0, 200);
    expect(errorOf('x.gz', bytes).code).toBe('broken_gzip');
  });
});
