/** Waits for all, even if one of them fails; then throws the first error. */
export async function allSettled<T>(running: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(running);
  return Promise.all(running);
}
