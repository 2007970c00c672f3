/** The three numbers of a version; null for anything else, a version before a release too. */
function numbersOf(version: string): number[] | null {
  const found = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(version);
  return found === null ? null : found.slice(1).map(Number);
}

/** Whether a version is one that a person with the other should have: released, and later. */
export function isNewer(version: string, than: string): boolean {
  const [found, own] = [numbersOf(version), numbersOf(than.replace(/-.*$/, ''))];
  if (found === null || own === null) return false;
  const [place = -1] = found
    .map((number, index) => (number === own[index] ? -1 : index))
    .filter((at) => at >= 0);
  if (place === -1) return than.includes('-');
  return (found[place] ?? 0) > (own[place] ?? 0);
}
