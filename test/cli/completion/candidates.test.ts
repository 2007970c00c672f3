import { expect, test } from 'vitest';
import { machine } from './machine.ts';

const { words, lines } = machine();

test.each<[string[], string[]]>([
  [['del'], ['deliveries']],
  [['webhooks', 'rot'], ['rotate-secret']],
  [['delivery', 'sho'], []],
  [['nothing', ''], []],
  [['deliveries', 'nothing', ''], []],
  [['--quiet', 'deliveries', 'get', '--js'], ['--json']],
  [['--profile', 'x', 'deliveries', 'wai'], ['wait']],
  [['deliveries', 'list', '--status', 'ful'], ['fulfilled']],
  [
    ['deliveries', 'list', '--status=in'],
    ['--status=initial', '--status=in_transit'],
  ],
  [['orders', 'list', '-o', 'nd'], ['ndjson']],
  [['orders', 'list', '-qo', 'nd'], ['ndjson']],
  [['deliveries', 'wait', 'x', '--fail-on', 'failed,ret'], ['failed,returned']],
  [['deliveries', 'wait', 'x', '--fail-on=failed,fail'], []],
  [['webhooks', 'create', '--events', 'order.dispatched,batch.c'], ['order.dispatched,batch.completed']],
  [['sandbox', 'provider', 'night'], ['nightowl']],
  [['orders', 'create', '--providers', 'swiftly,pool'], ['swiftly,poolride']],
  [['sandbox', 'scenario', 'set', 'happy'], ['happy_path']],
  [['sandbox', 'step', 'dlv_1', 'dropoff'], ['dropoff_complete']],
  [['completion', 'pow'], ['powershell']],
  [['help', 'exit'], ['exit-codes']],
  [['help', 'deliveries', 'exp'], ['explain']],
  [['profiles', 'use', ''], ['sandbox']],
  [['orders', 'list', '--profile', 'sand'], ['sandbox']],
  [['profiles', 'create', ''], []],
  [['orders', 'import', ''], ['files']],
  [['orders', 'create', '--file', 'x'], ['files']],
  [['orders', 'create', '-f', 'x'], ['files']],
  [['orders', 'create', '--dropoff-name', ''], []],
  [
    ['api', 'P'],
    ['POST', 'PATCH', 'PUT'],
  ],
  [['api', 'GET', ''], []],
  [['serve', '--database', ''], ['files']],
  [
    ['delivery', 'change', 'dlv_1', '--clear', 'pickup-'],
    ['pickup-unit', 'pickup-notes'],
  ],
  [
    ['config', 'set', 'time', ''],
    ['relative', 'local', 'iso'],
  ],
  [
    ['config', 'set', 'no_pager', ''],
    ['yes', 'no'],
  ],
  [['config', 'set', 'constructor', ''], []],
  [['config', 'set', 'base_url', ''], []],
  [['orders', 'list', '--', '--st'], []],
  [['--', 'del'], []],
  [['deliveries', 'get', '--json', 'x', '--js'], []],
  [['orders', 'list', '--no-inp'], ['--no-input']],
  [['orders', 'list', '--batch', 'bat_1', '--batch'], []],
  [['deliveries', 'list', '--columns', 'id,agreed_p'], ['id,agreed_price']],
  [['deliveries', 'get', 'x', '--columns=payment_a'], ['--columns=payment_amount']],
  [
    ['orders', 'create', '--item', 'Soup:1', '--ite'],
    ['--item', '--items-description'],
  ],
  [
    ['orders', 'list', '--re'],
    ['--request-timeout', '--ref', '--repeated'],
  ],
  [['--vers'], ['--version']],
])('%j', async (line, found) => {
  expect((await words(...line)).toSorted()).toEqual(found.toSorted());
});

test('a complete command offers its flags; after the end of options nothing is offered', async () => {
  expect(await words('orders', 'list', '')).toContain('--status');
  expect(await words('deliveries', 'get', 'dlv_1', 'x')).toEqual([]);
});

test('descriptions follow a tab; the words may come from the environment', async () => {
  expect(await lines(['--', 'deliveries', 'wa'])).toContain(
    'wait\tWait until a delivery reaches a status or can no longer reach it',
  );
  const stated = (text: string) => lines(['--environment'], { WAYBILL_TYPED: text });
  expect(await stated('quotes\u001f')).toEqual(await lines(['--', 'quotes', '']));
  expect((await stated('deliveries\u001fli'))[1]).toMatch(/^list\t/);
  expect(await stated('')).toEqual(await lines(['--environment']));
  expect(await stated('')).toEqual(await lines(['--', '']));
});
