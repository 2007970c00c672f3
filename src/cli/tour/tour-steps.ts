import type { Charge } from '../../contract/charges.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import type { OrderRequest } from '../../contract/orders.ts';
import type { RouteQuote, RouteQuotes } from '../../contract/quotes.ts';
import type { Route } from '../../contract/routes.ts';
import { dollars } from '../../domain/money.ts';
import { quotePrice, rankQuotes } from '../../domain/quotes.ts';
import { itemText } from '../columns/items.ts';
import { invocation, shellLine } from '../kit/output/invocation.ts';
import { lengthText, type Timing, timeSaid } from '../output/times.ts';
import { comparable } from '../quotes/quotes.ts';

/** One step of the tour: what was done, the command that does it, and what came of it. */
export interface TourStep {
  type: 'step';
  step: number;
  title: string;
  /** What it is for. */
  about: string;
  command: string;
  /** What happened, in lines. */
  happened: string[];
  /** The service's own answer. */
  data: unknown;
}

/** A step without its number. */
export type Told = Omit<TourStep, 'type' | 'step'>;

/** The interface's own example; the phone is of the range kept for fiction, and nothing goes wrong with it. */
export const order = {
  pickup_address: '43 E Ohio St, Chicago, IL 60611',
  pickup_name: 'Ohio Street Grill',
  pickup_phone_number: '+13125550101',
  dropoff_address: '233 S Wacker Dr, Chicago, IL 60606',
  dropoff_name: 'Joe Diner',
  dropoff_phone_number: '+13125550100',
  items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' }],
} satisfies OrderRequest;

/** What became of the example's order. */
export function orderStep(data: { id: string; status: string }): Told {
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

/** What became of a route. */
export function routeStep(data: Route): Told {
  return {
    title: 'Put it into a route',
    about: "A route is a driver's run; it may carry many orders.",
    command: shellLine(invocation('routes create', [...data.order_ids])),
    happened: [
      `${data.id} is a ${data.status} of ${data.stops.length} stops and ${data.distance_miles} miles.`,
    ],
    data,
  };
}

/** What asking for quotes brought: the job. */
export function askStep(route: string, data: { job_id: string }): Told {
  return {
    title: 'Ask the providers for quotes',
    about: 'They answer in their own time, so the answer is a job.',
    command: shellLine(invocation('routes quote', [route])),
    happened: [`${data.job_id} is collecting the quotes. This takes a few seconds.`],
    data,
  };
}

/** The quotes, cheapest first; `now` is the service's clock, in milliseconds since the epoch. */
export function quotesStep(route: string, data: RouteQuotes, timing: Timing): Told {
  const ranked = rankQuotes((data.data ?? []).map(comparable)).map(({ quote }) => quote);
  const width = Math.max(0, ...ranked.map(({ provider }) => provider.length));
  return {
    title: 'See the quotes',
    about: 'They are compared on cost and fee together, and most of them expire.',
    command: shellLine(invocation('quotes list', [route], { watch: true })),
    happened: ranked.map((quote) => quoteLine(quote, width, timing)),
    data,
  };
}

function quoteLine(quote: RouteQuote, width: number, { now, times }: Timing): string {
  const price = `${dollars(quote.cost_of_delivery)} + ${dollars(quote.service_fee)} = ${dollars(quotePrice(quote))}`;
  const there = timeSaid(quote.dropoff_eta, { now, times: times ?? 'relative' });
  return `${quote.provider.padEnd(width)}  ${price}, there ${there}`;
}

/** What the dispatch with a quote brought. */
export function dispatchStep(data: { id: string; deliveries: Delivery[] }, quote: RouteQuote): Told {
  const made = data.deliveries.map(({ id, status }) => `${id} is ${status}.`);
  return {
    title: 'Dispatch it to the cheapest',
    about: 'This commits: the provider is told, and each order becomes a delivery.',
    command: shellLine(invocation('dispatch', [data.id], { cheapest: true })),
    happened: [`${quote.provider} takes it for ${dollars(quotePrice(quote))}.`, ...made],
    data,
  };
}

/** The clock made fast, so that nobody waits for a courier; what is followed is the delivery with this id. */
export function followStep(id: string, data: { rate: number }): Told {
  return {
    title: 'Follow it to the door',
    about: 'Its status moves on as the courier goes. Couriers need not report each one.',
    command: shellLine(invocation('sandbox clock', ['scaled'], { rate: data.rate })),
    happened: [`On this service a second is ${lengthText(data.rate * 1000)} now.`, `${id} goes its way:`],
    data,
  };
}

/** What is proved, and what was charged, once it is delivered. */
export function deliveredStep(data: Delivery, charges: readonly Charge[]): Told {
  const took = Date.parse(data.updated_at) - Date.parse(data.created_at);
  const proof = data.proof_of_delivery.map(({ type }) => type).join(', ');
  return {
    title: 'See what came of it',
    about: 'The record keeps the proof and each status; every movement of money is a row.',
    command: shellLine(invocation('deliveries explain', [data.id])),
    happened: [
      `${data.id} is ${data.status} after ${lengthText(took)}, by ${data.service}.`,
      `Proof: ${proof === '' ? 'none' : proof}.`,
      ...charges.map(({ kind, amount }) => `Charged: ${dollars(amount)} (${kind}).`),
    ],
    data: { delivery: data, charges },
  };
}
