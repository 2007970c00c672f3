import { defineCommand, positional } from '../command.ts';
import { arrivalFlags } from '../deliveries/delivery-waiting-flags.ts';
import { checkConsent } from '../dispatching/consent.ts';
import { flag, money, moneyText, text } from '../line/flags.ts';
import { orderFieldsOf, orderFlags } from '../orders/order-flags.ts';
import { simulateFlag, simulationHeaders, sourcedOrders, sourceFlags } from '../orders/order-sources.ts';
import { answerOf } from '../shipping/arrival.ts';
import { checkKey, ordersOf, requestsIn } from '../shipping/orders.ts';
import { takingOf } from '../shipping/quote-taking.ts';
import { shipped } from '../shipping/shipping.ts';
import { checkWaiting, paceFlags } from '../waiting/waiting-flags.ts';

const group = 'Dispatch';

export const ship = defineCommand({
  name: 'ship',
  summary: 'Order, route, quotes and dispatch in one line',
  description: [
    'What is to be delivered comes from where `waybill orders create` has it; several orders, at most 25, become one',
    'route. Above --max-cost nothing is dispatched and the exit code is 6; where no provider takes the route, or a',
    'delivery failed, it is 9; 8 when time ran out. What was made before that stays, and is told with the way to go',
    'on. Repeated with the same --idempotency-key within 24 hours it goes on from where it was: nothing is made twice.',
    'Where it is dispatched already, another --tip, or a --max-cost below what it cost, is exit 6.',
  ].join('\n'),
  positionals: { stdin: positional('file', { summary: '- reads JSON from stdin', optional: true }) },
  flags: {
    ...orderFlags,
    ...sourceFlags,
    simulate: simulateFlag,
    optimize: flag({
      summary: 'Find the shortest way; without it, stops in the order given',
      default: true,
      group,
    }),
    cheapest: flag({ summary: 'Take the quote with the lowest cost and fee', group }),
    fastest: flag({ summary: 'Take the one with the earliest dropoff', group }),
    provider: text({ summary: 'Take the cheapest one of this courier', placeholder: 'PROVIDER', group }),
    maxCost: money({ summary: 'The most that cost and fee may be, in dollars: 12.50', group }),
    tip: money({ summary: 'For the driver, in dollars, on top: 3.00; shared like the price', group }),
    ...{ ...arrivalFlags, ...paceFlags('two minutes for quotes, 30m for --wait; in all where it is said') },
  },
  examples: [
    {
      command: 'waybill ship --file order.json --cheapest --max-cost 12.50 --wait delivered',
      summary: 'To the door, for at most $12.50',
    },
    {
      command: 'waybill ship --like ORDER --cheapest --idempotency-key "$CI_JOB_ID"',
      summary: 'The same as another order; safe to repeat',
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
      context.note('Its first request; what follows takes the ids of the answer:');
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
