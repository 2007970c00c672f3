const ends: (() => unknown)[] = [];

/** Has something done when the test file of now is through: what several files share is loaded only once. */
export function atEndOfFile(end: () => unknown): void {
  ends.push(end);
}

export async function endFile(): Promise<void> {
  for (const end of ends.splice(0)) await end();
}
