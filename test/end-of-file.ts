const callbacks: (() => unknown)[] = [];

/** Registers a function to run at the end of the current test file: modules shared by files are loaded only once. */
export function onEndOfFile(end: () => unknown): void {
  callbacks.push(end);
}

export async function endFile(): Promise<void> {
  for (const end of callbacks.splice(0)) await end();
}

/** Makes something once for the tests of a file. */
export function onceInFile<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    if (made === null) {
      made = { value: make() };
      onEndOfFile(() => {
        made = null;
      });
    }
    return made.value;
  };
}
