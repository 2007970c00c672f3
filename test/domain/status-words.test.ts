import { expect, test } from 'vitest';
import { deliveryStatuses } from '../../src/contract/vocabulary.ts';
import { statusNamed, statusPhrase, statusWithName, statusWord } from '../../src/domain/status-words.ts';

test.each(deliveryStatuses)('%s is meant by its name, by what a screen shows, and with blanks', (status) => {
  for (const text of [
    status,
    statusWord(status),
    statusWord(status).toUpperCase(),
    statusPhrase(status),
    status.replaceAll('_', ' '),
  ])
    expect(statusNamed(text)).toBe(status);
});

test.each([
  ['delivery_created', 'waiting for a driver (delivery_created)'],
  ['burq_canceled', 'canceled by the service (burq_canceled)'],
  ['pickup_complete', 'pickup_complete'],
])('%s is shown as %s', (status, shown) => {
  expect(statusWithName(status)).toBe(shown);
});
