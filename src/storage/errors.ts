/** The storage cannot be reached, is locked by others for too long, or is damaged. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** Runs `work`; what its engine throws is put through `translate` first. */
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
