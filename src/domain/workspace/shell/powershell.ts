import type { FileAction } from '../action.ts';
import { resolvePath } from '../paths.ts';

/** What PowerShell and `cmd` change files with, by whole names and by those of the old shell. */
const WRITES =
  /(?:^|[\s;|({&])(?:(?:Set|Add|Clear)-Content|Out-File|Tee-Object|(?:Remove|Move|Copy|Rename|New|Set|Clear)-Item|Expand-Archive|Invoke-WebRequest|ac|sc|ri|rd|del|erase|move|ren|copy|xcopy|robocopy|ni|mi|cpi|rni)(?=\s|$)|\[(?:System\.)?IO\.File\]::(?:Write|Append|Delete|Move|Copy|Replace)|[^=-]>{1,2}\s{0,9}[^&\s]/im;
/** Names that only PowerShell has. */
const CMDLET =
  /(?:^|[\s;|({&])[A-Z][a-z]{1,20}-(?:Content|Item|File|Object|Archive|ChildItem|Location)\b/;
/** Variables that are no paths. */
const PLAIN_VARIABLE = /\$(?:_|true|false|null|PSItem|\d)(?:\.\w+)?/gi;
const MOST_WORDS = 500;

/** Whether a script is one of PowerShell: its tool or its words say so. */
export function isInPowerShell(script: string, isPowerShell: boolean): boolean {
  return isPowerShell || CMDLET.test(script.slice(0, 50_000)) || /^\s{0,20}@['"]\r?\n/.test(script);
}

/**
 * What a script in PowerShell may have changed: every file and folder that is named in it, when
 * anything in it writes; any, when a variable names some. Nothing for scripts of other shells.
 */
export function powerShellDoubts(
  script: string,
  isPowerShell: boolean,
  folder: string | null,
): FileAction[] {
  const text = script.slice(0, 50_000);
  if (!isInPowerShell(text, isPowerShell)) return [];
  if (!WRITES.test(text)) return [];
  const by = text.trim().replaceAll(/\s+/g, ' ').slice(0, 60);
  if (text.replace(PLAIN_VARIABLE, '').includes('$')) return [{ kind: 'all_changed', by }];
  const quoted = [...text.matchAll(/"([^"\n]{1,4096})"|'([^'\n]{1,4096})'/g)].map(
    ([, double, single]) => double ?? single ?? '',
  );
  const words = [...quoted, ...text.split(/[\s;|(){}"',]+/)].filter((word) =>
    /^[^-$>&]/.test(word),
  );
  if (words.length > MOST_WORDS) return [{ kind: 'all_changed', by }];
  return [{ kind: 'may_change', targets: words.map((word) => resolvePath(word, folder)), by }];
}
