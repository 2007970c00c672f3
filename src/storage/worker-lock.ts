import { connect, isBusy, sqliteError } from './sqlite-file.ts';

export interface WorkerLock {
  release(): void;
}

/** The side file by which one process owns the background work of a database file. */
export function workerFile(file: string): string {
  return `${file}-worker`;
}

/**
 * Makes this process the owner of a database file's background work; null if another process owns it. The lock is an
 * exclusive transaction on the side file, so the operating system releases it when the process dies. Waiting
 * (`wait_ms`, default 0) blocks the process. @throws StorageUnavailable
 */
export function acquireWorkerLock(file: string, options: { wait_ms?: number } = {}): WorkerLock | null {
  const side = file === ':memory:' ? file : workerFile(file);
  const database = connect(side, options.wait_ms ?? 0);
  try {
    database.exec('begin exclusive');
    return { release: () => database.isOpen && database.close() };
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw sqliteError(error);
  }
}
