import type { z } from 'zod';
import { pageOf } from '../../api/schemas/common.ts';
import { costedCompaction } from '../../api/schemas/compaction.ts';
import { sessionSummary } from '../../api/sessions/schemas.ts';
import { counted } from '../../domain/counted.ts';
import { ask } from '../ask.ts';
import { queryOf, type ReadingFlags, reading, sessionPath } from '../reading.ts';
import { cut, pad } from '../terminal/columns.ts';
import { plainLine, plainText } from '../terminal/plain-text.ts';
import type { Screen } from '../terminal/screen.ts';
import { causeOf, figure, minute, resultOf, tokensOf } from '../words.ts';
import { usedPercent } from './list.ts';

type Session = z.infer<typeof sessionSummary>;
type Compaction = z.infer<typeof costedCompaction>;

const compactionPage = pageOf(costedCompaction);

const MOST_COMPACTIONS = 20;
/** Prints where a session stands, and its compactions. */
export function showSession(id: string, flags: ReadingFlags): Promise<void> {
  return reading(flags, async (target, output) => {
    const path = sessionPath(id);
    const session = await ask(target, sessionSummary, path);
    const limit = MOST_COMPACTIONS;
    const page = await ask(target, compactionPage, `${path}/compactions${queryOf({ limit })}`);
    await output.say(`{"session":${session.text},"compactions":${page.text}}`, (screen) =>
      sessionLines(session.value, page.value.data, screen),
    );
  });
}

const LABEL = 12;

function* sessionLines(session: Session, compactions: Compaction[], screen: Screen) {
  const { context, counts } = session;
  const id = plainText(session.id);
  const field = (name: string, text: string) => cut(`  ${pad(name, LABEL)}${text}`, screen.columns);
  yield screen.style('title', `Session ${id}`);
  if (session.title !== null) yield field('title', plainLine(session.title, screen.columns));
  yield field('format', `${session.format}, profile ${session.profile}`);
  const model = session.model === null ? 'not named' : plainLine(session.model, screen.columns);
  yield field('model', `${model}, window of ${figure(session.context_window)} tokens`);
  yield field('log', `${counted(counts.items, 'item')}, version ${session.version}`);
  const used = `${figure(context.tokens)} of ${figure(context.limit)} tokens, ${usedPercent(context)} % used`;
  const level = context.is_above_error ? 'bad' : context.is_above_warning ? 'warning' : 'good';
  yield screen.style(level, field('context', used));
  const running = session.running_compaction;
  if (running !== null) yield field('now', `compaction ${running.id} is ${running.status}`);
  if (session.breaker.is_open) {
    const until =
      session.breaker.reset_at === null ? '' : ` until ${minute(session.breaker.reset_at)} UTC`;
    yield field(
      'paused',
      `compactions have failed ${session.breaker.failures} times: none by itself${until}`,
    );
  }
  yield field('created', `${minute(session.created_at)} UTC`);
  yield field('changed', `${minute(session.updated_at)} UTC`);
  const metadata = JSON.stringify(session.metadata);
  if (metadata !== '{}') yield field('metadata', plainLine(metadata, 4 * screen.columns));
  yield '';
  const [newest] = compactions;
  if (newest === undefined) {
    yield 'No compactions yet.';
    yield screen.style('faint', `What one would do: palimpsest compact ${id} --dry-run`);
    return;
  }
  yield screen.style('title', 'Compactions, newest first');
  for (const compaction of compactions) {
    const tokens = tokensOf(compaction);
    const result = `${resultOf(compaction)}${tokens === '' ? '' : `, ${tokens} tokens`}`;
    yield `  ${plainText(compaction.id)}  ${result}`;
    yield cut(`    ${causeOf(compaction)}`, screen.columns);
  }
  yield '';
  yield screen.style(
    'faint',
    `What one has changed: palimpsest diff ${id} ${plainText(newest.id)}`,
  );
}
