import { errorMessage } from '../../domain/error-message.ts';
import { packageVersion } from '../../package-version.ts';
import { releaseOf } from '../ask.ts';
import { problemIn, remoteTarget, type Target } from '../target.ts';
import { type Finding, note, ok, trouble } from './finding.ts';

/** What can be seen of a service through its API. Throws TargetError for what is no address. */
export async function checkService(url: string): Promise<Finding[]> {
  const target = remoteTarget(url);
  const { place } = target;
  const ours = packageVersion();
  let release: string | null;
  try {
    release = await releaseOf(target);
  } catch (error) {
    const [says = '', advice = ''] = errorMessage(error).split(': ', 2);
    return [trouble('service', says, advice)];
  }
  if (release === null) {
    return [
      trouble('service', `${place} is no Palimpsest service`, 'check --url (or PALIMPSEST_URL)'),
    ];
  }
  return [
    release === ours
      ? ok('service', `Palimpsest ${release} answers at ${place}`)
      : trouble(
          'service',
          `${place} is ${release}, this is ${ours}`,
          'use the same release for both',
        ),
    await asked(target, 'ready', '/readyz', 'store and queue can be reached', 'see its log'),
    await asked(
      target,
      'key',
      '/sessions?limit=1',
      'the key is good, or none is wanted',
      'set PALIMPSEST_API_KEY to yours',
    ),
    await asked(target, 'search', '/search?q=doctor&limit=1', 'the search answers', 'see its log'),
    note(
      'machine',
      'settings, disk, threads and model cannot be seen from here',
      'run "palimpsest doctor" where the service runs, without --url',
    ),
  ];
}

async function asked(
  target: Target,
  check: string,
  path: string,
  fine: string,
  advice: string,
): Promise<Finding> {
  try {
    const response = await target.request(path);
    const text = await response.text();
    if (response.ok) return ok(check, fine);
    return trouble(check, problemIn(text)?.detail ?? `HTTP ${response.status}`, advice);
  } catch (error) {
    return trouble(check, errorMessage(error), advice);
  }
}
