import type { Charge } from '../../../contract/charges.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import type { Order, OrderRequest } from '../../../contract/orders.ts';
import type { Job, RouteQuote, RouteQuotes } from '../../../contract/quotes.ts';
import type { Route } from '../../../contract/routes.ts';
import { dollars } from '../../../domain/money.ts';
import { quotePrice, rankQuotes } from '../../../domain/quotes.ts';
import type { Progress } from '../../flow/deliver.ts';
import type { Outcome } from '../../flow/dispatch-route.ts';
import { lengthText, type Timing, timePhrase, timesFor } from '../../kit/output/times.ts';
import { invocation, shellLine } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { itemText } from '../orders/item-text.ts';
import { comparable } from '../quotes/quotes.ts';

/** A step of the tour. */
export interface TourStep extends StepText {
  type: 'step';
  step: number;
}

/** A step in words: what it is for, the command that does it, and what happened. */
export interface StepText {
  title: string;
  about: string;
  command: string;
  happened: string[];
  /** The service's response. */
  data: unknown;
}

/** The example of the contract; its phone numbers are reserved for fiction, and it always succeeds. */
export const order = {
  pickup_address: '43 E Ohio St, Chicago, IL 60611',
  pickup_name: 'Ohio Street Grill',
  pickup_phone_number: '+13125550101',
  dropoff_address: '233 S Wacker Dr, Chicago, IL 60606',
  dropoff_name: 'Joe Diner',
  dropoff_phone_number: '+13125550100',
  items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' }],
} satisfies OrderRequest;

export function orderStep(data: Order): StepText {
  const { items, pickup_address, pickup_name, dropoff_address, dropoff_name } = order;
  return {
    title: 'Create an order',
    about: 'An order says what goes from where to whom.',
    command: shellLine(
      invocation('orders create', [], {
        pickupAddress: pickup_address,
        pickupName: pickup_name,
        pickupPhone: order.pickup_phone_number,
        dropoffAddress: dropoff_address,
        dropoffName: dropoff_name,
        dropoffPhone: order.dropoff_phone_number,
        item: items.map(({ name, quantity, size }) => `${name}:${quantity}:${size}`).join(),
      }),
    ),
    happened: [
      `${data.id} is ${data.status}: ${items.map(itemText).join()}, ${pickup_name} to ${dropoff_name}.`,
    ],
    data,
  };
}

/** The tour step for the flow's progress; null for the choice, which is part of the dispatch. */
export function stepOf(done: Progress, context: Pick<Context, 'serviceNow' | 'output'>): StepText | null {
  switch (done.step) {
    case 'route':
      return routeStep(done.route);
    case 'request':
      return requestStep(done);
    case 'quotes':
      return quotesStep(done, { now: context.serviceNow(), times: timesFor(context.output) });
    case 'dispatch':
      return dispatchStep(done.outcome);
    default:
      return null;
  }
}

function routeStep(data: Route): StepText {
  return {
    title: 'Create a route',
    about: "A route is a driver's run; it may carry many orders.",
    command: shellLine(invocation('routes create', [...data.order_ids])),
    happened: [
      `${data.id} is a ${data.status} of ${data.stops.length} stops and ${data.distance_miles} miles.`,
    ],
    data,
  };
}

function requestStep({ route_id, job }: { route_id: string; job: Job }): StepText {
  return {
    title: 'Request quotes from the providers',
    about: 'Providers need a moment to answer, so the request returns a job.',
    command: shellLine(invocation('routes quote', [route_id])),
    happened: [`${job.job_id} is collecting the quotes. This takes a few seconds.`],
    data: job,
  };
}

function quotesStep(
  { route_id, quotes }: { route_id: string; quotes: RouteQuotes },
  timing: Timing,
): StepText {
  const ranked = rankQuotes((quotes.data ?? []).map(comparable)).map(({ quote }) => quote);
  const width = Math.max(0, ...ranked.map(({ provider }) => provider.length));
  return {
    title: 'Compare the quotes',
    about: 'Quotes are compared by total price (cost + fee). Most of them expire.',
    command: shellLine(invocation('quotes list', [route_id], { watch: true })),
    happened: ranked.map((quote) => quoteLine(quote, width, timing)),
    data: quotes,
  };
}

function quoteLine(quote: RouteQuote, width: number, { now, times }: Timing): string {
  const price = `${dollars(quote.cost_of_delivery)} + ${dollars(quote.service_fee)} = ${dollars(quotePrice(quote))}`;
  const arrival = timePhrase(quote.dropoff_eta, { now, times: times ?? 'relative' });
  return `${quote.provider.padEnd(width)}  ${price}, arrives ${arrival}`;
}

function dispatchStep({ route, text }: Outcome): StepText {
  return {
    title: 'Dispatch with the cheapest quote',
    about: 'This books the courier, and each order becomes a delivery.',
    command: shellLine(invocation('dispatch', [route.id], { cheapest: true })),
    happened: [text, ...route.deliveries.map(({ id, status }) => `${id} is ${status}.`)],
    data: route,
  };
}

/** The clock is accelerated, so that the delivery with this ID takes seconds. */
export function followStep(id: string, data: { rate: number }): StepText {
  return {
    title: 'Follow it to the door',
    about: 'The status changes as the courier reports. Couriers may skip statuses.',
    command: shellLine(invocation('sandbox clock', ['scaled'], { rate: data.rate })),
    happened: [`The sandbox clock now runs ${lengthText(data.rate * 1000)} per second.`, `Following ${id}:`],
    data,
  };
}

export function deliveredStep(data: Delivery, charges: readonly Charge[]): StepText {
  const took = Date.parse(data.updated_at) - Date.parse(data.created_at);
  const proof = data.proof_of_delivery.map(({ type }) => type).join(', ');
  return {
    title: 'See the result',
    about: 'The delivery keeps the proof and every status; each payment is a charge.',
    command: shellLine(invocation('deliveries explain', [data.id])),
    happened: [
      `${data.id} is ${data.status} after ${lengthText(took)}, by ${data.service}.`,
      `Proof: ${proof === '' ? 'none' : proof}.`,
      ...charges.map(({ kind, amount }) => `Charged: ${dollars(amount)} (${kind}).`),
    ],
    data: { delivery: data, charges },
  };
}
