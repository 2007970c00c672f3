/** The agreed time of an order, as `deliveries reschedule` reads it, asks for it, compares it and says it. */
import type { Order, OrderRequest } from '../../../contract/orders.ts';
import { minute_ms } from '../../../domain/durations.ts';
import { withoutAbsent } from '../../../domain/fields.ts';
import { answerFault } from '../../kit/args/ask-input.ts';
import { timePhrase } from '../../kit/output/times.ts';
import { storeZone } from '../../nouns/order.ts';
import { orderFlags } from '../../nouns/order-flags.ts';
import type { Context } from '../../session/command.ts';
import { readScheduledInstant } from '../../session/service-times.ts';
import { type Moment, readMoment } from '../../session/time-arguments.ts';

/** Asks for the time, which only a terminal may leave out. */
export async function askForTime(context: Context): Promise<Moment | undefined> {
  const flag = orderFlags.dropoffAt;
  const prompts = await context.prompts();
  const question = 'When to deliver it instead, such as "tomorrow 6pm" (--dropoff-at)';
  return flag.read([await prompts.text(question, { check: (text) => answerFault(text, flag) })]);
}

/** The times as the service takes them, in the zones of the addresses. */
export async function readTimes(
  context: Context,
  order: Order,
  { dropoffAt, pickupAt }: { dropoffAt: Moment | undefined; pickupAt: Moment | undefined },
): Promise<Time> {
  const dropoff = { name: 'dropoff', address: order.dropoff_address } as const;
  const pickup = { name: 'pickup', address: order.pickup_address } as const;
  return withoutAbsent({
    dropoff_at: dropoffAt && (await readScheduledInstant(context, dropoffAt, dropoff)),
    pickup_at: pickupAt && (await readScheduledInstant(context, pickupAt, pickup)),
  });
}

/** Whether a word is a time, such as `8pm`, that stands before the delivery. */
export function isTime(word: string): boolean {
  try {
    return readMoment(word, 'visit').typed === word && !/^\d+$/.test(word);
  } catch {
    return false;
  }
}

export type Time = Pick<OrderRequest, 'pickup_at' | 'dropoff_at'>;

/** The times of an order, and the address whose zone they are said in. */
interface SaidTime {
  pickup_at?: string | null;
  dropoff_at?: string | null;
  pickup_address: string;
}

/** `to arrive at 20:00 CST`, in the zone of the store. */
export function timeText(context: Context, { pickup_at, dropoff_at, pickup_address }: SaidTime): string {
  const timing = { now: context.serviceNow(), times: 'local', zone: storeZone({ pickup_address }) } as const;
  if (dropoff_at) return `to arrive ${timePhrase(dropoff_at, timing)}`;
  return `to be picked up ${timePhrase(pickup_at ?? '', timing)}`;
}

/** Whether the order has this time already, to the minute that is shown. */
export function hasTime(order: Order, { pickup_at, dropoff_at }: Time): boolean {
  const minuteOf = (at: string | null | undefined) => (at ? Math.floor(Date.parse(at) / minute_ms) : null);
  return (
    minuteOf(pickup_at) === minuteOf(order.pickup_at) && minuteOf(dropoff_at) === minuteOf(order.dropoff_at)
  );
}
