/** What is wrong with a version of Node (`18.20.8`); null when the service runs on it. */
export function unsupportedNode(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSupported = major > 20 || (major === 20 && minor >= 19);
  return isSupported ? null : `Palimpsest needs Node 20.19, 22 or 24; this is ${version}`;
}
