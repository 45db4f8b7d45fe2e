import { readSettings } from '../config.ts';
import { listen, startService } from '../service.ts';

/** Runs the service until SIGINT or SIGTERM (SPEC section 17). Throws SettingsError. */
export async function serveCommand(): Promise<void> {
  const settings = readSettings(process.env);
  const service = await startService(settings, process.env);
  const { url, close } = await listen(service, settings.host, settings.port);
  console.log(`listening on ${url}`);
  console.log(`database:   ${settings.database_path}`);
  console.log(`summaries:  ${service.summarizer}`);
  console.log(
    settings.api_keys.length === 0
      ? 'keys:       none, so only this machine can connect (set PALIMPSEST_API_KEYS to open it)'
      : `keys:       ${settings.api_keys.map(({ name }) => name).join(', ')}`,
  );
  console.log(`reference:  ${url}/docs`);
  await stopSignal();
  await close();
  await service.stop();
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
