/** The database is unreachable, locked for too long, or damaged. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** Runs `work` and passes engine errors through `translate`. */
export async function translated<T>(
  work: () => Promise<T>,
  translate: (error: unknown) => unknown,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translate(error);
  }
}
