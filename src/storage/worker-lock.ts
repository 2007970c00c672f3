import { connect, isBusy, sqliteError } from './sqlite-file.ts';

export interface WorkerLock {
  release(): void;
}

/**
 * Makes this process the one that does the background work of a database file; null while another
 * does. It is an exclusive transaction on a side file, so that the system itself frees it when the
 * process dies, however it dies. Waiting (`wait_ms`, default 0) blocks the whole process.
 * @throws StorageUnavailable
 */
export function acquireWorkerLock(file: string, options: { wait_ms?: number } = {}): WorkerLock | null {
  const side = file === ':memory:' ? file : `${file}-worker`;
  const database = connect(side, options.wait_ms ?? 0);
  try {
    database.exec('begin exclusive');
    return { release: () => database.isOpen && database.close() };
  } catch (error) {
    database.close();
    if (isBusy(error)) {
      return null;
    }
    throw sqliteError(error);
  }
}
