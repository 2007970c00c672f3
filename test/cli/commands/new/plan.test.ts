import { expect, test } from 'vitest';
import {
  isResumable,
  isRouteCurrent,
  keyOf,
  newPlan,
  orderIds,
  type Plan,
  type PlannedOrder,
  statusText,
  stepAfter,
  steps,
  unsettled,
  withOrder,
  withoutOrder,
  withoutQuotes,
  withoutRoute,
} from '../../../../src/cli/commands/new/fields.ts';
import { parsePlan } from '../../../../src/cli/commands/new/plan-file.ts';
import { plainText } from '../../../../src/cli/kit/result/message.ts';

const order = (number: number, changes: Partial<PlannedOrder> = {}): PlannedOrder => ({
  ...{ number, isOurs: true, answers: {}, request: {}, sent_at: 1, id: `ord_${number}`, replaces: null },
  ...changes,
});
const route = { number: 3, order_ids: ['ord_1', 'ord_2'], optimize: true, id: 'rte_1' };
const full: Plan = {
  ...newPlan('k'),
  ...{ step: 'dispatch', count: 5, orders: [order(1), order(2)], route, quote_id: 'rq_1', tip: 300 },
  round: { number: 4, isAsked: true },
  draft: { answers: { dropoffName: ['Joe'] }, items: ['Soup:2'], replaces: null },
  dispatch: { quote_id: 'rq_1', tip: 300, sent_at: 5 },
  script: '/home/joe/again.sh',
};

test('steps follow each other, and each knows the previous one', () => {
  expect(steps.map((step) => stepAfter(step, 'next'))).toEqual([
    ...['route', 'quotes', 'choice', 'dispatch', 'dispatch'],
  ]);
  expect(steps.map((step) => stepAfter(step, 'back'))).toEqual([
    ...['orders', 'orders', 'route', 'route', 'choice'],
  ]);
  expect(steps.map((step) => stepAfter(step, 'again'))).toEqual(steps);
  expect(stepAfter('dispatch', 'quotes')).toBe('quotes');
});

test('a route is current if it has these orders in this order', () => {
  expect(isRouteCurrent(full)).toBe(true);
  expect(isRouteCurrent({ ...full, optimize: false })).toBe(false);
  expect(isRouteCurrent(withOrder(full, order(9)))).toBe(false);
  expect(isRouteCurrent(withoutOrder(full, 1))).toBe(false);
  expect(isRouteCurrent({ ...full, orders: full.orders.toReversed() })).toBe(false);
  expect(isRouteCurrent({ ...full, route: null })).toBe(false);
});

test('without a route the plan has none; without quotes it has only the route', () => {
  const nothing = { round: null, quote_id: null, dispatch: null };
  expect(withoutRoute(full)).toEqual({ ...full, ...nothing, route: null });
  expect(withoutQuotes(full)).toEqual({ ...full, ...nothing });
});

test('an order is added once, and those with an unknown outcome are settled first', () => {
  const sent = order(6, { id: null });
  const plan = withOrder(full, sent);
  expect([orderIds(plan), unsettled(plan), plan.count]).toEqual([['ord_1', 'ord_2'], [sent], 6]);
  const made = withOrder(plan, order(6));
  expect([orderIds(made), unsettled(made)]).toEqual([['ord_1', 'ord_2', 'ord_6'], []]);
  expect(unsettled(withOrder(made, order(6, { replaces: 'ord_1' })))).toHaveLength(1);
  expect(keyOf(made, 'order-6')).toBe('k/order-6');
});

test('a plan is read back unchanged, and an invalid one is not read', () => {
  const read = (plan: unknown) => parsePlan(JSON.parse(JSON.stringify(plan)));
  expect(read(full)).toEqual(full);
  expect(read(newPlan('k'))).toEqual(newPlan('k'));
  const broken = [null, [], 'x', {}, { ...full, version: 2 }, { ...full, step: 'ordrs' }];
  for (const data of [...broken, { ...full, orders: [{}] }, { ...full, orders: 1 }, { ...full, count: 'x' }])
    expect(read(data)).toBeNull();
});

test('the status text says what exists and how to continue', () => {
  const goOn = 'Continue with: `waybill new --resume`.';
  const textOf = (plan: Plan) => plainText(statusText({ plan, isSaved: true }));
  expect(textOf(newPlan('k'))).toBe('Nothing was changed at the service.');
  expect(textOf({ ...full, draft: null, dispatch: null })).toBe(
    `Orders ord_1, ord_2 are in draft route rte_1. Nothing was dispatched. ${goOn}`,
  );
  expect(textOf(full)).toContain('It is not known yet whether the route was dispatched');
  const typed = { ...newPlan('k'), draft: full.draft };
  expect(textOf(typed)).toBe(`No order was created yet. Your input was saved. ${goOn}`);
  const sent = withOrder(newPlan('k'), order(1, { id: null }));
  expect(textOf(sent)).toContain(
    'It is not known yet whether another order was created; it is never done twice.',
  );
  const draft = { answers: {}, items: [], replaces: null };
  expect([{ ...newPlan('k'), draft }, typed, sent].map(isResumable)).toEqual([false, true, true]);
});
