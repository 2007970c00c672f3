import { Failure } from '../../../kit/errors/failure.ts';
import { type FileLock, takeLock } from '../../../kit/system/file-lock.ts';
import type { Context } from '../../../session/command.ts';
import { unwritable } from './file-faults.ts';
import type { Places, Source } from './source.ts';

/** Runs the import under its lock; an interruption waits for it, but not for long. */
export async function locked<T>(
  context: Context,
  { name }: Source,
  places: Places,
  work: () => Promise<T>,
): Promise<T> {
  const lock = lockFile(places.lock, name);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  context.onStop(() => Promise.race([ended, briefly(context)]));
  try {
    return await work();
  } finally {
    lock.release();
    resolve();
  }
}

const grace_ms = 5_000;

function briefly({ host }: Context): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  host.timer(grace_ms, resolve);
  return promise;
}

/** Takes the lock of a file; exit 6 if another process has it. */
export function lockFile(path: string, name: string): FileLock {
  return takeLock(path, {
    busy: (holder) => busy(holder, name),
    unusable: (cause) => unwritable(path, cause),
  });
}

function busy(id: number | null, name: string): Failure {
  const who = id === null ? 'another process' : `process ${id}`;
  return new Failure(6, 'import_running', `${name} is being imported by ${who}.`, {
    hint: 'Wait until that has ended: nothing was sent by this one.',
  });
}
