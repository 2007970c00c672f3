import type { ServiceConfig } from '../../src/service/runtime/context.ts';
import type { CrashPoint } from '../../src/service/runtime/crash-points.ts';
import { createService } from '../../src/service/service.ts';
import type { Storage } from '../../src/storage/storage.ts';

/** A process that dies at a crash point: from there on it reaches nothing. */
export function mortal(config: ServiceConfig, point: CrashPoint, passage: number) {
  let passed = 0;
  let isDead = false;
  const alive = <T>(work: () => Promise<T>): Promise<T> => {
    return isDead ? Promise.reject(new Error('dead')) : work();
  };
  const storage: Storage = {
    ...config.storage,
    first: (lookup, ...parameters) => alive(() => config.storage.first(lookup, ...parameters)),
    run: (work) => alive(() => config.storage.run(work)),
    transaction: (work) => alive(() => config.storage.transaction(work)),
  };
  const crash = (reached: CrashPoint) => {
    if (reached === point) passed += 1;
    if (reached !== point || passed !== passage) return;
    isDead = true;
    throw new Error('killed');
  };
  const service = createService({ ...config, storage, crash, onFault: () => {} });
  const tick = () =>
    service.tick().catch((fault: unknown) => {
      if (!isDead) throw fault;
      return 0;
    });
  return { service: { ...service, tick }, isDead: () => isDead };
}
