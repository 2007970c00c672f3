const callbacks: (() => unknown)[] = [];

/** Registers a function to run at the end of the current test file: modules shared by files are loaded only once. */
export function onEndOfFile(end: () => unknown): void {
  callbacks.push(end);
}

export async function endFile(): Promise<void> {
  for (const end of callbacks.splice(0)) await end();
}
