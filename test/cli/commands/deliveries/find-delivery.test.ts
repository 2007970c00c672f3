import { expect, test } from 'vitest';
import { UsageError } from '../../../../src/cli/kit/errors/failure.ts';
import { findDelivery, findDeliveryId } from '../../../../src/cli/nouns/find-delivery.ts';

const unasked = {
  client: () => Promise.reject(new Error('the service was asked')),
  serviceNow: () => 0,
  output: { times: null, json: false },
  interactive: false,
  prompts: () => Promise.reject(new Error('the user was asked')),
  note: () => {},
};

test('an empty text matches no delivery, although some have no reference', async () => {
  for (const text of ['', ' \t']) {
    await expect(findDelivery(unasked, text)).rejects.toThrow(UsageError);
    await expect(findDeliveryId(unasked, text)).rejects.toThrow(UsageError);
  }
});
