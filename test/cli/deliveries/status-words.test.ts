import { expect, test } from 'vitest';
import { courierText, endingText, wordsOf } from '../../../src/cli/deliveries/status-words.ts';
import { maskedPhone } from '../../../src/cli/output/phones.ts';
import { deliveryStatuses } from '../../../src/contract/vocabulary.ts';
import { at, delivery } from './records.ts';

const wording = { at: (iso: string, word = 'at') => `${word} ${iso.slice(11, 16)}`, phone: maskedPhone };

test('every status has words, of a record where little is known too', () => {
  for (const status of deliveryStatuses) {
    const made = delivery([[status, 0]]);
    expect(wordsOf(status, made, wording)).not.toMatch(/undefined|null|NaN/);
    expect(wordsOf(status, made, null)).not.toMatch(/undefined|null|NaN/);
  }
});

test('reasons are said; those that are words for programs, in words for people', () => {
  const failed = (failure_reason: string) => delivery([['failed', 1]], { failure_reason });
  expect(endingText(failed('payment_declined'))).toBe('failed: the payment was declined.');
  expect(wordsOf('failed', failed('no_provider_available'), wording)).toBe('no provider takes it');
  expect(endingText(failed('Van broke down.'))).toBe('failed: Van broke down.');
  const canceled = delivery([['provider_canceled', 1]], { cancellation_reason: 'No driver' });
  expect(endingText(canceled)).toBe('was canceled by swiftly: No driver.');
  expect(endingText(delivery([['customer_canceled', 1]]))).toBe('was canceled.');
  expect(endingText(delivery([['returned', 1]]))).toBe('went back to Grill.');
});

test('a scheduled delivery is come for at the time agreed on, or expected', () => {
  expect(wordsOf('scheduled', delivery([['scheduled', 0]]), wording)).toBe('swiftly comes for it at 12:10');
  const agreed = delivery([['scheduled', 0]], { pickup_at: at(120) });
  expect(wordsOf('scheduled', agreed, wording)).toBe('swiftly comes for it at 14:00');
});

test('of a driver is said what the provider tells', () => {
  expect(courierText(delivery([], { courier_name: 'Ana', courier_vehicle_type: 'car' }), maskedPhone)).toBe(
    'Ana, car',
  );
  expect(courierText(delivery([]), maskedPhone)).toBe('a driver is found');
});
