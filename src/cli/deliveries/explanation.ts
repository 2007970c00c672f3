import { records } from '../../client/pages.ts';
import type { Charge } from '../../contract/charges.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import type { Cancellation } from '../../contract/delivery-changes.ts';
import { chargeKinds } from '../../contract/vocabulary.ts';
import type { Context } from '../context.ts';
import type { NextStep } from '../failures/failure.ts';
import { lateBy } from './lateness.ts';
import { nextSteps } from './next-steps.ts';
import { type TimelineStep, timelineOf } from './timeline.ts';

/** A delivery seen from all sides. */
export interface Explanation {
  object: 'explanation';
  delivery: Delivery;
  timeline: TimelineStep[];
  /** After its dropoff ETA, negative before it; null where it is not under way, or ended without having come. */
  late_seconds: number | null;
  /** The oldest first. */
  charges: Charge[];
  /** What was really paid so far: the sum of the charges, in cents. */
  paid: number;
  cancellation: Cancellation;
  next: NextStep[];
}

/** Brings together what is known of a delivery. */
export async function explain(context: Context, delivery: Delivery): Promise<Explanation> {
  const client = await context.client();
  const params = { deliveryid: delivery.id };
  const [charges, cancellation] = await Promise.all([
    chargesOf(context, delivery.id),
    client.deliveries.cancellation({ params }),
  ]);
  const now = context.serviceNow();
  const isSandbox = delivery.test_mode && context.settings.target.kind === 'embedded';
  const steps = nextSteps(delivery, { cancellation: cancellation.data, now, isSandbox });
  const late_ms = lateBy(delivery, now);
  return {
    object: 'explanation',
    delivery,
    timeline: timelineOf(delivery, now),
    late_seconds: late_ms === null ? null : Math.floor(late_ms / 1000),
    charges,
    paid: charges.reduce((sum, { amount }) => sum + amount, 0),
    cancellation: cancellation.data,
    next: steps.map((step) => ({ ...step, command: context.inPlace(step.command) })),
  };
}

/** In the order in which money moves; what moved at one instant, in that of the kinds. */
async function chargesOf(context: Context, delivery_id: string): Promise<Charge[]> {
  const client = await context.client();
  const found: Charge[] = [];
  for await (const charge of records(client.charges.list, { delivery_id, limit: 100 })) found.push(charge);
  const place = ({ created_at, kind }: Charge) => created_at + String(chargeKinds.indexOf(kind));
  return found.sort((left, right) => (place(left) < place(right) ? -1 : 1));
}
