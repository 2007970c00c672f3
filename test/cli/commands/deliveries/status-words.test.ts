import { expect, test } from 'vitest';
import { maskedPhone } from '../../../../src/cli/kit/output/contacts.ts';
import { courierText, wordsOf } from '../../../../src/cli/nouns/delivery-words.ts';
import { endingText } from '../../../../src/cli/nouns/order.ts';
import { deliveryStatuses } from '../../../../src/contract/vocabulary.ts';
import { at, delivery } from './records.ts';

const wording = { at: (iso: string, word = 'at') => `${word} ${iso.slice(11, 16)}`, phone: maskedPhone };

test('every status has a text, also for records with few fields', () => {
  for (const status of deliveryStatuses) {
    const made = delivery([[status, 0]]);
    expect(wordsOf(status, made, wording)).not.toMatch(/undefined|null|NaN/);
    expect(wordsOf(status, made, null)).not.toMatch(/undefined|null|NaN/);
  }
});

test('the message of a failure is shown, else its code', () => {
  const failed = (failure_message: string) =>
    delivery([['failed', 1]], { failure_reason: 'courier_failed', failure_message });
  expect(endingText(failed('the van broke down.'))).toBe('failed: the van broke down.');
  expect(wordsOf('failed', failed('the van broke down'), wording)).toBe('the van broke down');
  expect(endingText(failed(''))).toBe('failed: courier_failed.');
  const canceled = delivery([['provider_canceled', 1]], { cancellation_reason: 'No driver' });
  expect(endingText(canceled)).toBe('was canceled by swiftly: No driver.');
  expect(endingText(delivery([['customer_canceled', 1]]))).toBe('was canceled.');
  expect(endingText(delivery([['returned', 1]]))).toBe('went back to Grill.');
});

test('a scheduled delivery has its agreed or expected pickup time', () => {
  expect(wordsOf('scheduled', delivery([['scheduled', 0]]), wording)).toBe('swiftly comes for it at 12:10');
  const agreed = delivery([['scheduled', 0]], { pickup_at: at(120) });
  expect(wordsOf('scheduled', agreed, wording)).toBe('swiftly comes for it at 14:00');
});

test('the text has what the provider reports of a driver', () => {
  expect(courierText(delivery([], { courier_name: 'Ana', courier_vehicle_type: 'car' }), maskedPhone)).toBe(
    'Ana, car',
  );
  expect(courierText(delivery([]), maskedPhone)).toBe('a driver is found');
});
