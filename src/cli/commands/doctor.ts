import { SettingsError } from '../../config/settings-error.ts';
import { readSettings, refuseOpenWithoutKeys, type ServerSettings } from '../../config.ts';
import { checkDisk } from '../doctor/check-disk.ts';
import { checkModels } from '../doctor/check-models.ts';
import { checkPort } from '../doctor/check-port.ts';
import { checkQueue } from '../doctor/check-queue.ts';
import { checkService } from '../doctor/check-service.ts';
import { checkStore } from '../doctor/check-store.ts';
import { checkThreads } from '../doctor/check-threads.ts';
import { type Finding, note, ok, trouble } from '../doctor/finding.ts';
import { type OutputFlags, outputTo } from '../output.ts';
import { quantity } from '../quantity.ts';
import { pad, widest } from '../terminal/columns.ts';
import { plainText } from '../terminal/plain-text.ts';
import type { Screen } from '../terminal/screen.ts';

export type DoctorFlags = OutputFlags & { url?: string };

/** Looks at everything that the service needs, and says what to do; false where there is trouble. */
export async function doctorCommand({
  url = process.env.PALIMPSEST_URL,
  ...flags
}: DoctorFlags): Promise<boolean> {
  const findings =
    url === undefined || url === '' ? await checkHere(process.env) : await checkService(url);
  const isWell = findings.every(({ verdict }) => verdict !== 'trouble');
  await outputTo(process.stdout, flags).say(
    JSON.stringify({ is_well: isWell, findings }),
    (screen) => lines(findings, screen),
  );
  return isWell;
}

async function checkHere(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  let settings: ServerSettings;
  try {
    settings = readSettings(environment);
    refuseOpenWithoutKeys(settings);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const advice = 'docs/configuration.md explains all settings';
    return [trouble('settings', error.message, advice)];
  }
  const { role, api_keys, host, port, database, archive } = settings;
  const keys =
    api_keys.length === 0 ? 'no keys: this machine only' : quantity(api_keys.length, 'key');
  const { finding, other } = await checkPort(host, port);
  const findings = [ok('settings', `ROLE=${role}, ${keys}`), finding, await checkDisk(database)];
  if (other !== null) {
    // To open it would bring it to our schema under the feet of the one that runs.
    findings.push(note('store', `not opened: release ${other} works on it`, 'stop that one first'));
  } else {
    const { findings: stored, exists } = await checkStore(database, archive);
    findings.push(...stored);
    if (exists) findings.push(await checkThreads(settings, environment));
  }
  findings.push(await checkQueue(settings));
  if (role !== 'api') findings.push(...(await checkModels(settings, environment)));
  return findings;
}

const MARKS = { ok: 'good', note: 'warning', trouble: 'bad' } as const;

function* lines(findings: readonly Finding[], screen: Screen) {
  const columns = widest(findings.map(({ check }) => check));
  const verdicts = widest(Object.keys(MARKS));
  for (const { check, verdict, says, advice } of findings) {
    const mark = screen.style(MARKS[verdict], pad(verdict, verdicts));
    yield `${mark}  ${pad(check, columns)}  ${plainText(says)}`;
    if (advice !== null) yield `${' '.repeat(verdicts + columns + 4)}→ ${plainText(advice)}`;
  }
  const troubles = findings.filter(({ verdict }) => verdict === 'trouble').length;
  yield '';
  yield troubles === 0
    ? 'All is well.'
    : `Trouble: ${troubles} of ${quantity(findings.length, 'check')}.`;
}
