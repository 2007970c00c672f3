import type { Client } from '../../client/client.ts';
import type { RouteQuote } from '../../contract/quotes.ts';
import { cheapest } from '../../domain/quotes.ts';
import { BadOutcome, StillPending } from '../failures/failure.ts';
import { comparable } from '../quotes/quotes.ts';
import {
  askStep,
  deliveryStep,
  dispatchStep,
  order,
  orderStep,
  quotesStep,
  routeStep,
  type Told,
  type TourStep,
} from './tour-steps.ts';

/** What a tour needs of the world: a service, and a way to wait for its quotes. */
export interface TourTools {
  client: Client;
  /** Looks at the quotes again and again, with a wait before each look. */
  looks<T>(look: () => Promise<T>): AsyncIterable<T>;
}

/** Makes a whole delivery at a service, by hand, and tells each step once it is done. */
export async function* tour({ client, looks }: TourTools): AsyncGenerator<TourStep> {
  let step = 0;
  const told = (parts: Told): TourStep => {
    step += 1;
    return { type: 'step', step, ...parts };
  };
  const made = await client.orders.create({ body: { orders: [order] } });
  yield told(orderStep(made.data));
  const route = await client.routes.create({ body: { order_ids: [made.data.id] } });
  yield told(routeStep(route.data));
  const params = { route_id: route.data.id };
  const job = await client.quotes.request({ params });
  yield told(askStep(route.data.id, job.data));
  const quotes = await collected(
    looks(() => client.quotes.list({ params })),
    route.data.id,
  );
  const now = quotes.service_time ?? 0;
  yield told(quotesStep(route.data.id, quotes.data, now));
  const best = cheapest(quotes.quotes.map(comparable))?.quote;
  if (best === undefined) throw new BadOutcome('No provider takes the route.');
  const dispatched = await client.dispatches.create({ params, body: { quote_id: best.id } });
  yield told(dispatchStep(dispatched.data, best));
  const [first] = dispatched.data.deliveries;
  if (first === undefined) throw new BadOutcome('The route has no delivery.');
  const delivery = await client.deliveries.get({ params: { deliveryid: first.id } });
  yield told(deliveryStep(delivery.data, delivery.service_time ?? now));
}

type Look = Awaited<ReturnType<Client['quotes']['list']>>;

async function collected(
  looks: AsyncIterable<Look>,
  route: string,
): Promise<Look & { quotes: RouteQuote[] }> {
  for await (const look of looks) {
    if (look.data.data !== null) return { ...look, quotes: look.data.data };
  }
  throw new StillPending(`The quotes of ${route} did not come in time.`);
}
