/** Whether two names are of one person: case and spaces do not count, as they are written differently. */
export function isSameName(left: string, right: string): boolean {
  const plain = (name: string) => name.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
  return plain(left) === plain(right);
}
