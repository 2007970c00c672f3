import type { Delivery } from '../../../contract/deliveries.ts';
import { isEnded } from '../../../domain/delivery-states.ts';
import { pickQuote } from '../../flow/choose-quote.ts';
import { deliver, type FrontEnd } from '../../flow/deliver.ts';
import { BadOutcome, StillPending } from '../../kit/errors/failure.ts';
import type { Context } from '../../session/command.ts';
import { createOrder } from '../orders/order-requests.ts';
import {
  deliveredStep,
  followStep,
  order,
  orderStep,
  type StepText,
  stepOf,
  type TourStep,
} from './tour-steps.ts';

/** A status that the delivery of the tour has reached. */
export interface TourStatus {
  type: 'status';
  delivery_id: string;
  status: Delivery['status'];
  /** When it was entered, by the service's clock. */
  created_at: string;
  courier_name: string | null;
  /** The part of the time to the expected dropoff that has passed, from 0 to 1. */
  progress: number;
}

/** Waits until the delivery is fetched again; `now` is the time of the service. */
export type Pause = (delivery: Delivery, now: number) => Promise<void>;

/** Seconds of the service's clock in one: a delivery across town takes seconds, and each status can still be read. */
const rate = 240;

export const interruption_text = 'The tour ran on a temporary service; nothing was kept.';

/** Numbers the steps of a tour. */
type Numbered = (text: StepText) => TourStep;

function stepNumbers(): Numbered {
  let step = 0;
  return (text) => {
    step += 1;
    return { type: 'step', step, ...text };
  };
}

/**
 * Takes one order through the whole flow at a sandbox. Yields each step once it is done, and each status on the way.
 */
export async function* tour(context: Context, pause: Pause): AsyncGenerator<TourStep | TourStatus> {
  const numbered = stepNumbers();
  const delivery = yield* dispatchOrder(context, numbered);
  const client = await context.client();
  const clock = await client.clock.set({ body: { mode: 'scaled', rate } });
  yield numbered(followStep(delivery.id, clock.data));
  const delivered = yield* follow(context, delivery.id, pause);
  yield numbered(await resultStep(context, delivered));
}

/**
 * Creates an order and dispatches it with the cheapest quote. Yields each step once it is done; returns the delivery.
 */
async function* dispatchOrder(context: Context, numbered: Numbered): AsyncGenerator<TourStep, Delivery> {
  const created = await createOrder(context, order, context.idempotencyKey());
  yield numbered(orderStep(created));
  const frontEnd: FrontEnd = {
    ...{ optimize: true, tip: null, timeout_ms: undefined, interval_ms: undefined },
    choose: (route_id, quotes) => pickQuote(context, route_id, quotes, 'cheapest'),
    interruptionText: () => interruption_text,
  };
  let delivery: Delivery | undefined;
  for await (const done of deliver(context, [created.id], frontEnd)) {
    const text = stepOf(done, context);
    if (text !== null) yield numbered(text);
    if (done.step === 'dispatch') [delivery] = done.outcome.route.deliveries;
  }
  if (delivery === undefined) throw new BadOutcome('The route has no delivery.');
  return delivery;
}

/** The last step: the delivery with its charges. */
async function resultStep(context: Context, delivered: Delivery): Promise<StepText> {
  const client = await context.client();
  const charges = await client.charges.list({ query: { delivery_id: delivered.id } });
  return deliveredStep(delivered, charges.data.data);
}

/** The maximum number of polls; at this rate a delivery needs far fewer. */
const max_polls = 200;

/** Follows a delivery to its end. Yields each status once it is reached, and returns the delivered one. */
async function* follow(
  context: Context,
  deliveryid: string,
  pause: Pause,
): AsyncGenerator<TourStatus, Delivery> {
  const watch = statusWatch(context, deliveryid);
  for (let polls = 0; polls < max_polls; polls += 1) {
    const delivery = yield* watch();
    if (delivery.status === 'delivered') return delivery;
    await pause(delivery, context.serviceNow());
  }
  throw new StillPending(`${deliveryid} was not delivered in time.`);
}

/**
 * Fetches a delivery. Yields the statuses that are new since the last time; throws if it ended without being delivered.
 */
function statusWatch(context: Context, deliveryid: string): () => AsyncGenerator<TourStatus, Delivery> {
  let seen = 0;
  return async function* () {
    const client = await context.client();
    const { data: delivery } = await client.deliveries.get({ params: { deliveryid } });
    const entered = delivery.status_history.slice(seen);
    seen += entered.length;
    for (const entry of entered) yield statusOf(delivery, entry);
    if (isEnded(delivery.status) && delivery.status !== 'delivered')
      throw new BadOutcome(`The delivery ended as ${delivery.status}.`);
    return delivery;
  };
}

function statusOf(
  delivery: Delivery,
  { status, created_at }: Delivery['status_history'][number],
): TourStatus {
  const { id, courier_name } = delivery;
  return {
    type: 'status',
    delivery_id: id,
    status,
    created_at,
    courier_name: status === 'delivery_created' ? null : courier_name,
    progress: isEnded(status) ? 1 : progressAt(delivery, Date.parse(created_at)),
  };
}

/** The part of the time to the expected dropoff that has passed; 0.99 at most before the end. */
export function progressAt(delivery: Delivery, now: number): number {
  const start = Date.parse(delivery.created_at);
  const end = Date.parse(delivery.dropoffs[0]?.dropoff_eta ?? delivery.created_at);
  if (end <= start) return 0;
  return Math.min(0.99, Math.max(0, (now - start) / (end - start)));
}
