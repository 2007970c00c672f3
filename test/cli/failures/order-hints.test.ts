import { expect, test } from 'vitest';
import { orderHint } from '../../../src/cli/failures/order-hints.ts';

test.each([
  ['is canceled.', ['waybill orders get ord_1'], false],
  [
    'is routed in route rte_2.',
    ['waybill orders get ord_1', 'waybill routes get rte_2', 'waybill routes delete rte_2'],
    true,
  ],
  [
    'is routed for delivery dlv_3, which is not initiated yet.',
    ['waybill orders get ord_1', 'waybill deliveries explain dlv_3'],
    false,
  ],
  [
    'is being dispatched by batch bat_4; cancel it there first.',
    ['waybill batches get bat_4', 'waybill orders cancel ord_1'],
    false,
  ],
])('an order that %s', (message, commands, isGivenBack) => {
  const { hint = '', next = [] } = orderHint(`Order ord_1 ${message}`) ?? {};
  expect(next.map(({ command }) => command)).toEqual(commands);
  for (const command of commands) expect(hint).toContain(`\`${command}\``);
  expect(hint.includes('gives its orders back')).toBe(isGivenBack);
});

test('of anything else nothing is made up', () => {
  expect(orderHint('Another request has just taken one of these orders.')).toBeNull();
});
