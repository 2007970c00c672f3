/** The earlier deliveries of an order: the couriers that failed in them, and whether another try can succeed. */
import { ifSupported, unlessMissing } from '../../client/errors.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import { isFailureOfCourier } from '../../domain/delivery-states.ts';
import { quotePrice } from '../../domain/quotes.ts';
import type { Context } from '../session/command.ts';

export type ConnectedClient = Awaited<ReturnType<Context['client']>>;

/** The couriers that ended an earlier delivery of the order badly, which a retry leaves out, each with what it did. */
export async function fetchFailedCouriers(
  client: Pick<ConnectedClient, 'deliveries'>,
  delivery: Delivery,
): Promise<Map<string, string>> {
  const earlier = (await fetchEarlier(client, delivery)).filter(isFailureOfCourier);
  return new Map(
    earlier.map((each) => [
      each.service,
      each.status === 'failed' ? 'an earlier try with it failed' : 'it canceled an earlier try',
    ]),
  );
}

/** The earlier deliveries of the same order, the latest of them first. */
export async function fetchEarlier(
  client: Pick<ConnectedClient, 'deliveries'>,
  { id, order_id, external_order_ref }: Delivery,
): Promise<Delivery[]> {
  if (order_id === '') return [];
  // Without a reference its ID is searched for: it may be older than a hundred others.
  const query = { ...(external_order_ref === '' ? { q: order_id } : { external_order_ref }), limit: 100 };
  const answer = await ifSupported(client.deliveries.list({ query }), null);
  // IDs sort by the time of their creation.
  return (answer?.data.data ?? []).filter((each) => each.order_id === order_id && each.id < id);
}

/** What is stored of the tries of an order and tells whether another one can succeed. */
export interface RetryFacts {
  /**
   * The lowest price, with its tip, of a courier that has not ended a try badly, in cents; null if no other one offered a
   * quote, undefined if that is not known.
   */
  lowest_other?: number | null | undefined;
  /** Whether the payment of its order was declined before, too. */
  isDeclinedAgain?: boolean;
}

/** Reads them of a delivery that ended badly: one or two requests. */
export async function readRetryFacts(client: ConnectedClient, delivery: Delivery): Promise<RetryFacts> {
  const { route_id, service, failure_reason, tip } = delivery;
  if (failure_reason === 'payment_declined') {
    const earlier = await fetchEarlier(client, delivery);
    return { isDeclinedAgain: earlier.some((each) => each.failure_reason === failure_reason) };
  }
  if (!isFailureOfCourier(delivery) || !route_id) return {};
  const [answer, failed] = await Promise.all([
    unlessMissing(ifSupported(client.quotes.list({ params: { route_id } }), null)),
    fetchFailedCouriers(client, delivery),
  ]);
  const quotes = answer?.data.data ?? [];
  if (quotes.length === 0) return {};
  const others = quotes.filter(({ provider }) => provider !== service && !failed.has(provider));
  return { lowest_other: others.length === 0 ? null : Math.min(...others.map(quotePrice)) + (tip || 0) };
}
