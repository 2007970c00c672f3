import type { Client } from '../../client/client.ts';
import type { RouteQuote } from '../../contract/quotes.ts';
import { cheapest } from '../../domain/quotes.ts';
import { BadOutcome, StillPending } from '../failures/failure.ts';
import { orderIn } from '../orders/order-sending.ts';
import type { TimeStyle } from '../output/times.ts';
import { comparable } from '../quotes/quotes.ts';
import { type JourneyTools, journey, type TourStatus } from './journey.ts';
import {
  askStep,
  deliveredStep,
  dispatchStep,
  followStep,
  order,
  orderStep,
  quotesStep,
  routeStep,
  type Told,
  type TourStep,
} from './tour-steps.ts';

/** What a tour needs of the world: a service, and a way to wait for its quotes. */
export interface TourTools extends JourneyTools {
  /** Looks at the quotes again and again, with a wait before each look. */
  looks<T>(look: () => Promise<T>): AsyncIterable<T>;
  /** How the person wants times said. */
  times: TimeStyle;
}

/** Seconds of service time in one: a way across town takes seconds, and each status can still be read. */
const rate = 240;

/** Makes a whole delivery at a service, by hand, and tells each step once it is done and each status on the way. */
export async function* tour(tools: TourTools): AsyncGenerator<TourStep | TourStatus> {
  const { client, looks, times } = tools;
  let step = 0;
  const told = (parts: Told): TourStep => {
    step += 1;
    return { type: 'step', step, ...parts };
  };
  const made = orderIn((await client.orders.create({ body: { orders: [order] } })).data);
  yield told(orderStep(made));
  const route = await client.routes.create({ body: { order_ids: [made.id] } });
  yield told(routeStep(route.data));
  const params = { route_id: route.data.id };
  const job = await client.quotes.request({ params });
  yield told(askStep(route.data.id, job.data));
  const quotes = await collected(
    looks(() => client.quotes.list({ params })),
    route.data.id,
  );
  const now = quotes.service_time ?? 0;
  yield told(quotesStep(route.data.id, quotes.data, { now, times }));
  const best = cheapest(quotes.quotes.map(comparable))?.quote;
  if (best === undefined) throw new BadOutcome('No provider takes the route.');
  const dispatched = await client.dispatches.create({ params, body: { quote_id: best.id } });
  yield told(dispatchStep(dispatched.data, best));
  const [first] = dispatched.data.deliveries;
  if (first === undefined) throw new BadOutcome('The route has no delivery.');
  const clock = await client.clock.set({ body: { mode: 'scaled', rate } });
  yield told(followStep(first.id, clock.data));
  const delivery = yield* journey(first.id, tools);
  const charges = await client.charges.list({ query: { delivery_id: first.id } });
  yield told(deliveredStep(delivery, charges.data.data));
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
