import { expect, test } from 'vitest';
import { stepsForOrder } from '../../../src/cli/errors/error-report.ts';
import { shellLine } from '../../../src/cli/kit/result/message.ts';

test.each([
  ['by nothing', ['ord_1'], ['waybill orders get ord_1']],
  [
    'by a route',
    ['ord_1', 'rte_2'],
    ['waybill orders get ord_1', 'waybill routes get rte_2', 'waybill routes delete rte_2'],
  ],
  ['by a delivery', ['ord_1', 'dlv_3'], ['waybill orders get ord_1', 'waybill deliveries explain dlv_3']],
  ['by a batch', ['ord_1', 'bat_4'], ['waybill batches get bat_4', 'waybill orders cancel ord_1']],
])('commands for an order that is held %s', (_, ids, commands) => {
  expect(stepsForOrder(ids).map(shellLine)).toEqual(commands);
});

test('a refusal without an order suggests nothing', () => {
  expect(stepsForOrder([])).toEqual([]);
});
