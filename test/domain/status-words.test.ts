import { expect, test } from 'vitest';
import { deliveryStatuses } from '../../src/contract/vocabulary.ts';
import {
  isRescheduled,
  statusNamed,
  statusPhrase,
  statusWithName,
  statusWord,
} from '../../src/domain/status-words.ts';

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

test.each([
  ['customer_canceled', 'Rescheduled', true],
  ['customer_canceled', 'too late', false],
  ['failed', 'Rescheduled', false],
])('%s, %s is sent again at another time: %s', (status, cancellation_reason, expected) => {
  expect(isRescheduled({ status, cancellation_reason })).toBe(expected);
});
