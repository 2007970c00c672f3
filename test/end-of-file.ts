const ends: (() => unknown)[] = [];

/** Registers a function to run at the end of the current test file: modules shared by files are loaded only once. */
export function atEndOfFile(end: () => unknown): void {
  ends.push(end);
}

export async function endFile(): Promise<void> {
  for (const end of ends.splice(0)) await end();
}
