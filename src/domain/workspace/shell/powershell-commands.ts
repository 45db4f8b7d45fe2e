import type { Command, Pipeline, Word } from './lex.ts';
import {
  type PowerCommand,
  type PowerPipeline,
  type PowerWord,
  parsePowerShell,
} from './powershell-lex.ts';

/**
 * The pipelines of a script in PowerShell, its cmdlets as the commands of other shells that do the same.
 * Null where nothing certain can be said about it, or where a cmdlet is not known; also where neither its
 * tool (`isPowerShell`) nor what it calls is PowerShell's: in other shells `rm -rf` means something else.
 */
export function pipelinesOfPowerShell(script: string, isPowerShell: boolean): Pipeline[] | null {
  const parsed = parsePowerShell(script);
  if (parsed === null || !(isPowerShell || parsed.some(hasCmdlet))) return null;
  const pipelines: Pipeline[] = [];
  for (const pipeline of parsed) {
    const translated = translatedPipeline(pipeline);
    if (translated === null) return null;
    if (translated.commands.length > 0) pipelines.push(translated);
  }
  return pipelines;
}

/** A text of its own in the place of a command, over several lines, is one of PowerShell, too. */
function hasCmdlet({ commands }: PowerPipeline): boolean {
  return commands.some(({ words: [first] }) => {
    if (first === undefined) return false;
    return CMDLET.test(first.text) || (first.isText && first.text.includes('\n'));
  });
}

function translatedPipeline({ commands, after }: PowerPipeline): Pipeline | null {
  const translated: Command[] = [];
  for (const command of commands) {
    const next = translatedCommand(command, translated);
    if (next === null) return null;
    translated.push(...next);
  }
  return { commands: translated, after, isBackground: false };
}

type Arguments = {
  /** What stands without a name. */
  given: PowerWord[];
  /** Values by the names of their parameters, in small letters; none for a switch. */
  named: ReadonlyMap<string, PowerWord[]>;
};

/** Parameters that take no value. */
const SWITCHES = new Set(
  'force recurse raw nonewline append passthru confirm:$false whatif asbytestream noclobber wait'.split(
    ' ',
  ),
);

function argumentsOf(words: readonly PowerWord[]): Arguments {
  const named = new Map<string, PowerWord[]>();
  const given: PowerWord[] = [];
  let values: PowerWord[] | null = null;
  for (const word of words) {
    const name = word.isText
      ? null
      : /^-([A-Za-z]\w*(?::\$\w+)?)$/.exec(word.text)?.[1]?.toLowerCase();
    if (name !== null && name !== undefined) {
      const own: PowerWord[] = [];
      named.set(name, own);
      values = SWITCHES.has(name) ? null : own;
    } else if (values !== null && (values.length === 0 || word.isMore)) values.push(word);
    else {
      values = null;
      given.push(word);
    }
  }
  return { given, named };
}

const CMDLET = /^[A-Z][A-Za-z]+-[A-Za-z]+$/;
const PATHS = ['path', 'literalpath', 'filepath', 'lp', 'pspath'];
const ALIASES: Readonly<Record<string, string>> = {
  sc: 'set-content',
  ac: 'add-content',
  gc: 'get-content',
  cat: 'get-content',
  type: 'get-content',
  ri: 'remove-item',
  rm: 'remove-item',
  del: 'remove-item',
  erase: 'remove-item',
  rd: 'remove-item',
  rmdir: 'remove-item',
  mi: 'move-item',
  mv: 'move-item',
  move: 'move-item',
  rni: 'rename-item',
  ren: 'rename-item',
  cpi: 'copy-item',
  cp: 'copy-item',
  copy: 'copy-item',
  ni: 'new-item',
  md: 'mkdir',
  sl: 'set-location',
  cd: 'set-location',
  chdir: 'set-location',
  select: 'select-object',
  echo: 'write-output',
  write: 'write-output',
  tee: 'tee-object',
};
/** Cmdlets that only look at things, or say something. */
const READING =
  /^(?:get|test|measure|select|sort|format|convertto|convertfrom|compare|resolve|join|split|where|group|write|out)-[a-z]+$/;

/** The commands for one of PowerShell; `before`: those that hand it their output, of which it may take one back. */
function translatedCommand(command: PowerCommand, before: Command[]): Command[] | null {
  const [first, ...rest] = command.words;
  if (first === undefined) return null;
  const { redirects } = command;
  // A text by itself is what is handed on.
  if (first.isText && before.length === 0 && rest.length === 0) return [said(first, redirects)];
  const lower = first.text.toLowerCase();
  const name = Object.hasOwn(ALIASES, lower) ? (ALIASES[lower] ?? lower) : lower;
  const { given, named } = argumentsOf(rest);
  const paths = PATHS.flatMap((key) => named.get(key) ?? []);
  const isNamed = paths.length > 0;
  const [path = given[0]] = paths;
  const all = isNamed ? paths : given;
  switch (name) {
    case 'set-content':
    case 'add-content':
    case 'out-file': {
      const isAdded = name === 'add-content' || named.has('append');
      const [value] =
        named.get('value') ?? (name === 'out-file' ? [] : given.slice(isNamed ? 0 : 1));
      if (path === undefined || redirects.length > 0) return null;
      return writing({ path, value, isAdded, isEndless: named.has('nonewline') }, before);
    }
    case 'tee-object':
      return path === undefined ? null : [plain('tee', [path])];
    case 'get-content': {
      const count = ['totalcount', 'head', 'first'].flatMap((key) => named.get(key) ?? [])[0];
      const tail = ['tail', 'last'].flatMap((key) => named.get(key) ?? [])[0];
      const cut = tail ?? count;
      const reader = cut === undefined ? 'cat' : tail === undefined ? 'head' : 'tail';
      const options = cut === undefined ? [] : [word('-n'), cut];
      return [{ ...plain(reader, [...options, ...all]), redirects }];
    }
    case 'select-object':
      return selected(named, redirects);
    case 'remove-item':
      return [plain('rm', [word(named.has('recurse') ? '-rf' : '-f'), ...all])];
    case 'move-item':
    case 'copy-item': {
      const to = named.get('destination')?.[0] ?? given[isNamed ? 0 : 1];
      const from = isNamed ? paths : given.slice(0, 1);
      if (to === undefined || from.length === 0) return null;
      const options = named.has('recurse') ? [word('-r')] : [];
      return [
        name === 'move-item' ? plain('mv', [...from, to]) : plain('cp', [...options, ...from, to]),
      ];
    }
    case 'rename-item': {
      const to = named.get('newname')?.[0] ?? given[isNamed ? 0 : 1];
      if (path === undefined || to === undefined) return null;
      return [plain('mv', [path, beside(path, to)])];
    }
    case 'new-item': {
      const kind =
        named.get('itemtype')?.[0]?.text.toLowerCase() ??
        named.get('type')?.[0]?.text.toLowerCase();
      const inside = named.get('name')?.[0];
      if (path === undefined || inside !== undefined) return null;
      if (kind === 'directory') return [plain('mkdir', [word('-p'), ...all])];
      if (kind !== undefined && kind !== 'file') return null;
      const [value] = named.get('value') ?? [];
      return writing({ path, value: value ?? text(''), isAdded: false, isEndless: true }, []);
    }
    case 'mkdir':
      return [plain('mkdir', [word('-p'), ...all])];
    case 'set-location':
    case 'push-location':
      return path === undefined ? null : [plain(name === 'set-location' ? 'cd' : 'pushd', [path])];
    case 'pop-location':
      return [plain('popd', [])];
    case 'out-null':
    case 'out-default':
      return [];
    case 'write-output': {
      const [only] = given;
      if (only !== undefined && given.length === 1 && named.size === 0)
        return [said(only, redirects)];
      return [{ ...plain('ls', []), redirects }];
    }
    default:
      if (READING.test(name)) return [{ ...plain('ls', []), redirects }];
      // A shell in the shell, or another cmdlet, may do anything.
      if (/^(?:powershell|pwsh|cmd|wsl)(?:\.exe)?$/.test(name)) return null;
      if (CMDLET.test(first.text)) return null;
      return [{ words: [first, ...rest], redirects, heredoc: null }];
  }
}

type Written = {
  path: PowerWord;
  value: PowerWord | undefined;
  isAdded: boolean;
  isEndless: boolean;
};

/** What puts a value, or what it is handed, into a file. */
function writing({ path, value, isAdded, isEndless }: Written, before: Command[]): Command[] {
  const redirects = [{ operator: isAdded ? ('>>' as const) : ('>' as const), target: path }];
  const own = value === undefined ? null : said(value, [], isEndless);
  if (own !== null) return [{ ...own, redirects }];
  const [only, ...others] = before;
  if (only?.heredoc !== null && only?.heredoc !== undefined && others.length === 0) {
    before.pop();
    const { text: handed } = only.heredoc;
    const heredoc = { ...only.heredoc, text: isEndless ? handed.replace(/\n$/, '') : handed };
    return [{ ...only, heredoc, redirects }];
  }
  return [{ words: [word('cat')], redirects, heredoc: null }];
}

/** `Select-Object` as far as it takes lines from the beginning or the end. */
function selected(named: Arguments['named'], redirects: PowerCommand['redirects']): Command[] {
  const [first, last, skip] = ['first', 'last', 'skip'].map((key) => named.get(key)?.[0]);
  const isKnown = [...named.keys()].every((key) => ['first', 'last', 'skip'].includes(key));
  const skipped = Number(skip?.text ?? 0);
  if (
    !isKnown ||
    !Number.isSafeInteger(skipped) ||
    (first === undefined) === (last === undefined && skip === undefined)
  ) {
    return [{ ...plain('ls', []), redirects }];
  }
  if (last !== undefined) return [{ ...plain('tail', [word('-n'), last]), redirects }];
  const from = skipped > 0 ? [plain('tail', [word('-n'), word(`+${skipped + 1}`)])] : [];
  const cut = first === undefined ? [] : [plain('head', [word('-n'), first])];
  const commands = [...from, ...cut];
  return commands.map((one, at) => (at === commands.length - 1 ? { ...one, redirects } : one));
}

function said(value: PowerWord, redirects: PowerCommand['redirects'], isEndless = false): Command {
  const heredoc = { text: isEndless ? value.text : `${value.text}\n`, isPlain: value.isPlain };
  return { words: [word('cat')], redirects, heredoc };
}

function plain(name: string, words: readonly Word[]): Command {
  return { words: [word(name), ...words], redirects: [], heredoc: null };
}

function word(text: string): Word {
  return { text, isPlain: true };
}

function text(value: string): PowerWord {
  return { text: value, isPlain: true, isText: true, isMore: false };
}

/** A name in the folder of a path. */
function beside(path: Word, { text: name, isPlain }: Word): Word {
  const folder = /^.*[\\/]/.exec(path.text)?.[0] ?? '';
  return { text: folder + name, isPlain: path.isPlain && isPlain };
}
