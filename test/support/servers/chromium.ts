import { debianProgram } from './debian-program.ts';

/** The path of a Chromium, which Debian's is where there was none. Throws with what to do. */
export function chromiumPath(): Promise<string> {
  return debianProgram({
    variable: 'TEST_CHROMIUM',
    names: ['chromium', 'chromium-browser', 'google-chrome'],
    apt: 'chromium',
    need: 'the browser tests need Chromium',
  });
}
