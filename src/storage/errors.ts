/** Why a database cannot be used: too many conflicts, no space, or any other cause. */
export type UnavailableReason = 'conflicts' | 'disk_full' | 'unreachable';

/** The database is unreachable, locked for too long, full, or damaged. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  readonly reason: UnavailableReason;

  constructor(message: string, options: { cause?: unknown; reason?: UnavailableReason } = {}) {
    super(message, options);
    this.reason = options.reason ?? 'unreachable';
  }
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
