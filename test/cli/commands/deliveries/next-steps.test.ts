import { expect, test } from 'vitest';
import { timeOfDay } from '../../../../src/cli/kit/output/times.ts';
import { shellLine } from '../../../../src/cli/kit/result/message.ts';
import { type NextStepContext, nextSteps } from '../../../../src/cli/nouns/explanation.ts';
import { delivery, type Entered, instant } from './records.ts';

const cancellation = {
  ...{
    object: 'cancellation' as const,
    delivery_id: 'dlv_1',
    cancelable: false,
    reason: 'no',
    fee: 0,
    refund: 0,
  },
};
const situation: NextStepContext = {
  ...{
    cancellation,
    now: instant(60),
    times: null,
    zone: null,
    isSandbox: false,
    latest: 'dlv_1',
    nextTry: null,
  },
};

function verbs(entered: readonly Entered[], given: Partial<NextStepContext> = {}): string[] {
  return nextSteps(delivery(entered), { ...situation, ...given }).map((step) =>
    shellLine(step)
      .replace(/^waybill (deliveries )?/, '')
      .replace(/ dlv_1| --.*/g, ''),
  );
}

test.each([
  [[], ['initiate', 'edit']],
  [[['delivery_created', 0]], ['watch', 'edit']],
  [[['driver_not_assigned', 0]], ['watch', 'edit']],
  [[['pickup_complete', 9]], ['watch']],
  [[['enroute_to_return', 9]], ['watch']],
  [[['delivered', 30]], ['dispute']],
  [[['failed', 1]], ['retry']],
  [[['provider_canceled', 1]], ['retry']],
  [[['returned', 40]], ['create']],
  [[['disputed', 50]], ['disputes resolve', 'create']],
] satisfies [Entered[], string[]][])('after %j: %j', (entered, expected) => {
  expect(verbs(entered)).toEqual(expected);
});

test('a retried delivery suggests explaining the next attempt instead of a retry', () => {
  const steps = nextSteps(delivery([['failed', 1]]), { ...situation, latest: 'dlv_2' });
  expect(steps).toEqual([
    { command: 'deliveries explain', args: ['dlv_2'], when: 'it was tried again as this delivery' },
  ]);
});

test('a delivery that auto dispatch retries has no retry command', () => {
  const at = new Date(instant(65)).toISOString();
  const nextTry = { order_id: 'ord_1', at };
  const [step] = nextSteps(delivery([['failed', 1]]), { ...situation, nextTry });
  const when = `auto dispatch tries it again by itself at ${timeOfDay(at)}`;
  expect(step).toEqual({ command: 'orders tries', args: ['ord_1'], when });
  expect(verbs([['failed', 1]], { nextTry: { ...nextTry, at: null } })).toEqual(['orders tries ord_1']);
  expect(verbs([['failed', 1]], { nextTry, latest: 'dlv_2' })).toEqual(['explain dlv_2']);
  expect(verbs([['delivered', 30]], { nextTry })).toEqual(['dispute']);
});

test('a delivery can be disputed for 30 days', () => {
  const month = 30 * 24 * 60;
  expect(verbs([['delivered', 0]], { now: instant(month - 1) })).toEqual(['dispute']);
  expect(verbs([['delivered', 0]], { now: instant(month) })).toEqual([]);
});

test('a cancellation is offered with its price', () => {
  const offered = (fee: number, refund: number) =>
    nextSteps(delivery([['driver_assigned', 2]]), {
      ...situation,
      cancellation: { ...cancellation, cancelable: true, fee, refund },
    }).find(({ command }) => command === 'deliveries cancel')?.when;
  expect(offered(299, 853)).toBe('cancel it for $2.99: you get $5.54 of $8.53 back');
  expect(offered(0, 0)).toBe('cancel it for nothing');
});

test('simulated couriers suggest their next steps', () => {
  const sandbox = { isSandbox: true };
  expect(verbs([['delivery_created', 0]], sandbox)).toContain('sandbox step driver_assigned');
  expect(verbs([['dropoff_complete', 0]], sandbox)).toContain('sandbox step delivered');
  expect(verbs([['enroute_to_return', 0]], sandbox)).toContain('sandbox step returned');
  for (const entered of [[], [['delivered', 0]], [['failed', 0]]] satisfies Entered[][])
    expect(verbs(entered, sandbox).join()).not.toContain('sandbox');
});
