/** The versions of Node on which the command line and the service run; the client runs on older ones too. */
export const neededNode = 'Node 22.22.2, 24.15 or 26 and later';

export function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major === 22) return minor > 22 || (minor === 22 && patch >= 2);
  if (major === 24) return minor >= 15;
  return major >= 26;
}
