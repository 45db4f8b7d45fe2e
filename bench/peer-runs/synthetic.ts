import type { Message } from '../peers/message.ts';

const WORDS =
  'the a reader opens file finds where value is written changes line and runs tests again error in module import const function returns string number undefined expected received at index path src main store query session context token summary cache retry'.split(
    ' ',
  );
const RESULT_CHARACTERS = 4_000;

/** A session of turns: a question, a call, its result of 4 KB, an answer. */
export function syntheticSession(messages: number): Message[] {
  return Array.from({ length: messages }, (_, index): Message => {
    const turn = Math.floor(index / 4);
    const id = `call_${turn}`;
    switch (index % 4) {
      case 0:
        return { role: 'user', text: text(`Question ${turn}: `, 200) };
      case 1: {
        const input = { path: `src/module-${turn}.ts` };
        return { role: 'assistant', text: '', calls: [{ id, name: 'read', input }] };
      }
      case 2:
        return {
          role: 'tool',
          call_id: id,
          name: 'read',
          text: text(`File ${turn}: `, RESULT_CHARACTERS),
        };
      default:
        return { role: 'assistant', text: text(`Answer ${turn}: `, 400), calls: [] };
    }
  });
}

/** Words in an order that does not repeat: stores compress what does. */
function text(start: string, characters: number): string {
  let written = start;
  let state = hashOf(start);
  while (written.length < characters) {
    // A linear congruential generator: the same text in every run.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    written += `${WORDS[(state >>> 16) % WORDS.length]} `;
  }
  return written.slice(0, characters);
}

function hashOf(text: string): number {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0;
  return hash;
}
