import { defineCommand, positional } from '../command.ts';
import { arrivalFlags } from '../deliveries/delivery-waiting-flags.ts';
import { checkConsent } from '../flow/consent.ts';
import { shipped } from '../flow/deliver.ts';
import { takingOf } from '../flow/quote-picker.ts';
import { flag, money, moneyText, text } from '../line/flags.ts';
import { orderFieldsOf, orderFlags } from '../orders/order-flags.ts';
import { simulateFlag, simulationHeaders, sourcedOrders, sourceFlags } from '../orders/order-sources.ts';
import { answerOf } from '../shipping/arrival.ts';
import { checkKey, ordersOf, requestsIn } from '../shipping/orders.ts';
import { checkWaiting, paceFlags } from '../waiting/waiting-flags.ts';

const group = 'Dispatch';

export const ship = defineCommand({
  name: 'ship',
  summary: 'Create orders, request quotes and dispatch in one command',
  description: [
    'Takes the same input as `waybill orders create`; up to 25 orders form one route. The exit code is 6 if the total',
    'is above --max-cost (nothing is dispatched), 9 if no provider took the route or a delivery failed, and 8 after a',
    'timeout. If it fails midway, the records created so far are kept, and you are told how to continue. Rerun with',
    'the same --idempotency-key within 24 hours to continue without creating duplicates. If it was already',
    'dispatched, a different --tip or a --max-cost below its price is exit 6.',
  ].join('\n'),
  positionals: { stdin: positional('file', { summary: '- reads JSON from stdin', optional: true }) },
  flags: {
    ...orderFlags,
    ...sourceFlags,
    simulate: simulateFlag,
    optimize: flag({
      summary: 'Find the shortest sequence of stops (default: in the order given)',
      default: true,
      group,
    }),
    cheapest: flag({ summary: 'Use the quote with the lowest total (cost + fee)', group }),
    fastest: flag({ summary: 'Use the quote with the earliest dropoff', group }),
    provider: text({ summary: 'Use the cheapest quote of this provider', placeholder: 'PROVIDER', group }),
    maxCost: money({ summary: 'Maximum total in dollars (cost + fee), such as 12.50', group }),
    tip: money({ summary: 'Additional driver tip in dollars, such as 3.00; split like the price', group }),
    ...{
      ...arrivalFlags,
      ...paceFlags('2m for quotes, 30m for --wait; an explicit value limits both together'),
    },
  },
  examples: [
    {
      command: 'waybill ship --file order.json --cheapest --max-cost 12.50 --wait delivered',
      summary: 'Deliver for at most $12.50',
    },
    {
      command: 'waybill ship --like ORDER --cheapest --idempotency-key "$CI_JOB_ID"',
      summary: 'Repeat an order; safe to rerun',
    },
  ],
  effect: 'write',
  confirms: true,
  oneOf: ['cheapest', 'fastest', 'provider'],
  async run(context, { flags, positionals, given }) {
    checkWaiting(context, { wait: flags.wait !== null }, ['failOn']);
    const taking = takingOf(flags, context);
    checkKey(context);
    const { tip: _, ...changes } = await orderFieldsOf(context, flags, given);
    const sourced = await sourcedOrders(context, { ...flags, ...positionals }, changes);
    const requests = requestsIn(sourced);
    await checkConsent(context, flags);
    if (context.asked.dryRun && !context.output.json)
      context.note('The first request; later ones use the IDs in its response:');
    const begun = context.now();
    const shipment = await ordersOf(context, requests, {
      sending: {
        headers: simulationHeaders(flags.simulate),
        isFromFile: sourced.file !== null,
        flagged: Object.keys(changes),
      },
      dispatch: {
        ...{ cheapest: flags.cheapest, fastest: flags.fastest, provider: flags.provider },
        tip: tipText(flags.tip),
      },
    });
    const { optimize, timeout: timeout_ms, interval: interval_ms } = flags;
    const made = await shipped(context, shipment, {
      taking,
      terms: flags,
      optimize,
      timeout_ms,
      interval_ms,
    });
    const until = flags.wait;
    return answerOf(context, made, { until, fail_on: flags.failOn, timeout_ms, interval_ms, begun });
  },
});

function tipText(cents: number | undefined): string | undefined {
  return cents === undefined ? undefined : moneyText(cents);
}
