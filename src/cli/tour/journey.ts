import type { Client } from '../../client/client.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { BadOutcome, StillPending } from '../failures/failure.ts';

/** A status that the delivery of the tour has come to. */
export interface TourStatus {
  type: 'status';
  delivery_id: string;
  status: Delivery['status'];
  /** When it was entered, by the service's clock. */
  created_at: string;
  courier_name: string | null;
  /** How much of the way to the expected dropoff is over, from 0 to 1. */
  progress: number;
}

export interface JourneyTools {
  client: Client;
  /** Waits until the delivery is to be looked at again, `now` being the service's time. */
  pause(delivery: Delivery, now: number): Promise<void>;
}

/** Looks at the delivery before the journey is given up: it takes seconds. */
const mostLooks = 200;

/** Follows a delivery to its end, and gives each status as it is reached; the last look is what it returns. */
export async function* journey(
  id: string,
  { client, pause }: JourneyTools,
): AsyncGenerator<TourStatus, Delivery> {
  let told = 0;
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const { data, service_time } = await client.deliveries.get({ params: { deliveryid: id } });
    const entered = data.status_history.slice(told);
    told += entered.length;
    for (const entry of entered) yield statusOf(data, entry);
    if (isEnded(data.status)) return arrived(data);
    await pause(data, service_time ?? Date.parse(data.updated_at));
  }
  throw new StillPending(`${id} did not come to its end in time.`);
}

function statusOf(
  delivery: Delivery,
  { status, created_at }: Delivery['status_history'][number],
): TourStatus {
  const { id, courier_name } = delivery;
  const isOver = isEnded(status);
  return {
    type: 'status',
    delivery_id: id,
    status,
    created_at,
    courier_name: status === 'delivery_created' ? null : courier_name,
    progress: isOver ? 1 : progressAt(delivery, Date.parse(created_at)),
  };
}

/** How much of the time to the expected dropoff is over; 0.99 at most before the end. */
export function progressAt(delivery: Delivery, now: number): number {
  const start = Date.parse(delivery.created_at);
  const end = Date.parse(delivery.dropoffs[0]?.dropoff_eta ?? delivery.created_at);
  if (end <= start) return 0;
  return Math.min(0.99, Math.max(0, (now - start) / (end - start)));
}

function arrived(delivery: Delivery): Delivery {
  if (delivery.status === 'delivered') return delivery;
  throw new BadOutcome(`The delivery ended as ${delivery.status}.`);
}
