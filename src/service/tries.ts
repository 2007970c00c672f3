import type { listTries } from '../contract/batches.ts';
import type { Handler } from './endpoint.ts';
export const pageOfTries: Handler<typeof listTries> = async () => {
  throw new Error('not built yet');
};
