import { expect, test } from 'vitest';
import type { Context } from '../../../src/cli/context.ts';
import { findDelivery, findDeliveryId } from '../../../src/cli/deliveries/finding.ts';
import { UsageError } from '../../../src/cli/failures/failure.ts';

test('an empty text names no delivery, though some have no reference', async () => {
  const context = new Proxy<Partial<Context>>({}, { get: () => () => Promise.reject(new Error('asked')) });
  for (const text of ['', ' \t']) {
    // @ts-expect-error nothing of the context may be used
    await expect(findDelivery(context, text)).rejects.toThrow(UsageError);
    // @ts-expect-error nothing of the context may be used
    await expect(findDeliveryId(context, text)).rejects.toThrow(UsageError);
  }
});
