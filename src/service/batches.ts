import type { getBatch, listBatches } from '../contract/batches.ts';
import type { Handler } from './endpoint.ts';
export const pageOfBatches: Handler<typeof listBatches> = async () => {
  throw new Error('not built yet');
};
export const readBatch: Handler<typeof getBatch> = async () => {
  throw new Error('not built yet');
};
