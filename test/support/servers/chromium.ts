import { aptInstall } from './apt.ts';
import { findOnPath } from './programs.ts';

/** The path of a Chromium, which Debian's is where there was none. Throws with what to do. */
export async function chromiumPath(): Promise<string> {
  const given = process.env.TEST_CHROMIUM;
  if (given !== undefined && given !== '') return given;
  const find = () => findOnPath('chromium', 'chromium-browser', 'google-chrome');
  try {
    return await find();
  } catch {
    try {
      await aptInstall('chromium');
      return await find();
    } catch (error) {
      throw new Error(
        'the browser tests need Chromium: install it (apt-get install chromium), or name one in TEST_CHROMIUM',
        { cause: error },
      );
    }
  }
}
