import type { Client } from '../../../../client/client.ts';
import { ApiError } from '../../../../client/errors.ts';
import { Failure, UsageError } from '../../../kit/errors/failure.ts';
import { invocation } from '../../../kit/result/message.ts';
import { findStoreId } from '../../../nouns/named-record.ts';
import type { CheckedFile } from './check-file.ts';

export async function checkStores(client: Client, { stores }: CheckedFile): Promise<void> {
  const faults: { path: string; message: string; flag: null }[] = [];
  for (const [store_id, line] of stores) {
    const fault = await client.stores.get({ params: { store_id } }).then(
      () => null,
      (error: unknown) => {
        if (error instanceof ApiError && error.code === 'record_not_found') return error.message;
        throw error;
      },
    );
    if (fault === null) continue;
    const id = await idOfStoreNamed(client, store_id);
    const message = id === null ? fault : `needs the ID of ${store_id}: ${id}`;
    faults.push({ path: `line ${line}, pickup_store_id`, message, flag: null });
  }
  if (faults.length === 0) return;
  throw new UsageError('The file names saved places that there are not; nothing was sent.', {
    code: 'bad_rows',
    faults,
    next: [{ ...invocation('stores list'), when: 'see those that there are' }],
  });
}

/** The ID of the store with this name, which a file may give in place of the ID; null if none or several have it. */
async function idOfStoreNamed(client: Client, word: string): Promise<string | null> {
  try {
    const id = await findStoreId({ client: async () => client }, word);
    return id === word ? null : id;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
