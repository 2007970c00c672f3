import type { cancelBatch } from '../contract/batches.ts';
import type { Handler } from './endpoint.ts';
export const closeBatch: Handler<typeof cancelBatch> = async () => {
  throw new Error('not built yet');
};
