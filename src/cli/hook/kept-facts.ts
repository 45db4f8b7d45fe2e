import { z } from 'zod';
import { bullet, safeSlice } from '../../domain/text.ts';

const factSchema = z.object({ kind: z.string(), state: z.string(), text: z.string() });
export const ledgerFacts = z.object({ facts: z.array(factSchema) });
type Fact = z.infer<typeof factSchema>;

type Section = { title: string; most: number; is: (fact: Fact) => boolean };

/** What a summary by the client loses first. Of each the newest are told. */
const SECTIONS: readonly Section[] = [
  {
    title: 'Standing instructions of the user, word for word',
    most: 15,
    is: ({ kind, state }) => kind === 'constraint' && state === 'current',
  },
  {
    title: 'Requests of the user that are open',
    most: 5,
    is: ({ kind, state }) => kind === 'request' && state === 'open',
  },
  { title: 'Files that were changed', most: 20, is: ({ kind }) => kind === 'change' },
  {
    title: 'Errors without a cure yet',
    most: 5,
    is: ({ kind, state }) => kind === 'error' && state === 'open',
  },
];

/** Longer ones are cut, in characters. */
const LONGEST = 400;

/** The facts of a session that Claude Code is to keep over its own compaction; '' when there are none. */
export function keptFacts(facts: readonly Fact[]): string {
  return SECTIONS.flatMap(({ title, most, is }) => {
    const newest = facts.filter(is).slice(-most);
    return newest.length === 0 ? [] : [`${title}:\n${newest.map(lineOf).join('\n')}`];
  }).join('\n\n');
}

function lineOf({ text }: Fact): string {
  return bullet(text.length > LONGEST ? `${safeSlice(text, 0, LONGEST)} …` : text);
}
