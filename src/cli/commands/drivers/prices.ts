import type { Account } from '../../../contract/accounts.ts';
import { money, optionalFlag } from '../../kit/args/flags.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, record } from '../../kit/result/result.ts';
import { defineCommand } from '../../session/command.ts';

type Prices = Account['fleet'];

const columns: readonly Column<Prices>[] = [
  {
    field: 'per_delivery',
    header: 'Each delivery',
    kind: 'money',
    value: ({ per_delivery }) => per_delivery,
  },
  { field: 'per_mile', header: 'Each mile', kind: 'money', value: ({ per_mile }) => per_mile },
  { field: 'ask_pin', header: 'Asks for a PIN', kind: 'text', value: ({ ask_pin }) => ask_pin },
];

export const prices = defineCommand({
  name: 'prices',
  summary: 'Show or set the prices of deliveries by your own drivers',
  description: [
    'A quote of your own drivers is the price of each delivery and that of the miles of the route, without a service',
    'fee. What is not named stays. Test and live deliveries have prices of their own, and setting them takes an admin',
    'key.',
  ].join('\n'),
  flags: {
    perDelivery: money({ summary: 'Price of each delivery in dollars, such as 2.50' }),
    perMile: money({ summary: 'Price of each mile of a route in dollars, such as 0.75' }),
    askPin: optionalFlag({ summary: 'Whether recipients must tell your drivers a PIN' }),
  },
  examples: [
    { command: 'waybill drivers prices', summary: 'Show the prices' },
    { command: 'waybill drivers prices --per-delivery 2.50 --per-mile 0.75', summary: 'Set both prices' },
    { command: 'waybill drivers prices --ask-pin', summary: 'Ask recipients for a PIN' },
  ],
  effect: 'write',
  async run(context, { flags: { perDelivery, perMile, askPin } }) {
    const given = {
      ...(perDelivery !== undefined && { per_delivery: perDelivery }),
      ...(perMile !== undefined && { per_mile: perMile }),
      ...(askPin !== undefined && { ask_pin: askPin }),
    };
    const isShown = Object.keys(given).length === 0;
    const client = await context.client(isShown ? { reads: true } : {});
    const before = pricesOf((await client.account.get()).data);
    if (isShown) {
      const set = invocation('drivers prices', [], { perDelivery: 'AMOUNT' });
      return record(before, columns, { notes: [phrase`Set them: ${set}`] });
    }
    const { data } = await client.account.update({ body: { fleet: { ...before, ...given } } });
    return record(pricesOf(data), columns);
  },
});

/** Throws a Failure if the service has no such setting. */
function pricesOf(account: Account): Prices {
  if (Object.hasOwn(account, 'fleet')) return account.fleet;
  throw new Failure(6, 'not_supported', 'This service has no prices of own drivers.');
}
