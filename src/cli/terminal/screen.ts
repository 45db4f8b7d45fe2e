import { styleText } from 'node:util';

/** What a text means; only a terminal shows it. */
const STYLES = {
  title: 'bold',
  faint: 'dim',
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  match: ['bold', 'yellow'],
} as const satisfies Record<string, Parameters<typeof styleText>[0] | readonly string[]>;

/** Where readable text goes: how wide it is, in columns, and how it marks things. */
export type Screen = {
  columns: number;
  style: (style: keyof typeof STYLES, text: string) => string;
};

/** Narrower than this nothing can be read. */
const LEAST_COLUMNS = 40;
const USUAL_COLUMNS = 80;

/**
 * The screen behind a stream. Colours only on a terminal that has them, and not with NO_COLOR. Without
 * a terminal `COLUMNS` says how wide it is, else 80.
 */
export function screenOf(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'hasColors'>,
  environment: NodeJS.ProcessEnv,
): Screen {
  const named = Number(environment.COLUMNS) || USUAL_COLUMNS;
  const columns = Math.max(LEAST_COLUMNS, (stream.isTTY && stream.columns) || named);
  const { NO_COLOR } = environment;
  const isPlain = !stream.isTTY || (NO_COLOR !== undefined && NO_COLOR !== '');
  const hasColors = !isPlain && stream.hasColors();
  return {
    columns,
    style: (style, text) => {
      if (!hasColors || text === '') return text;
      const format = STYLES[style];
      return styleText(typeof format === 'string' ? format : [...format], text);
    },
  };
}
