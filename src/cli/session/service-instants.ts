import { ifSupported } from '../../client/errors.ts';
import { zoneOf } from '../../domain/time-zones.ts';
import { instantAt, isLocalTime, type Moment } from '../kit/args/time-arguments.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { zonedTime } from '../kit/output/times.ts';
import { phrase, timePart } from '../kit/result/message.ts';
import type { Context } from './context.ts';

/** Converts a time to the API's form. A duration is counted from `from`, by default the service's time. */
export async function instantOf(
  context: Context,
  moment: Moment,
  direction: 'ago' | 'ahead',
  from?: number,
): Promise<string> {
  const now = moment.at ?? from ?? (await serviceTime(context));
  return new Date(instantAt(moment, now, direction)).toISOString();
}

/** Where a delivery is picked up or dropped off: an address, or the ID of a store. */
export interface SchedulePlace {
  name: 'pickup' | 'dropoff';
  address: string | undefined;
  store?: string | undefined;
}

/**
 * Does the same for the time of a delivery. A time without a zone is repeated on stderr in local time, and in the zone
 * of the place if that differs.
 */
export async function scheduledInstantOf(
  context: Context,
  moment: Moment,
  place: SchedulePlace,
): Promise<string> {
  const instant = await instantOf(context, moment, 'ahead');
  if (isLocalTime(moment) && !context.output.json && !context.output.quiet) {
    const there = await timeAt(context, Date.parse(instant), place);
    context.note(`"${moment.typed}" is ${zonedTime(Date.parse(instant))}${there}.`);
  }
  return instant;
}

async function timeAt(
  context: Context,
  instant: number,
  { name, address, store }: SchedulePlace,
): Promise<string> {
  const client = await context.client();
  const known =
    address ?? (store && (await client.stores.get({ params: { store_id: store } })).data.address) ?? '';
  const zone = zoneOf(known);
  if (known === '' || zone === null || zonedTime(instant, zone) === zonedTime(instant)) return '';
  return `, which is ${zonedTime(instant, zone)} at the ${name}`;
}

/** Clocks of two machines may differ by this much. */
const clock_tolerance_ms = 60_000;

/**
 * Does the same for the start of past records. UsageError for a time in the future of the service's clock, or of `now`:
 * no record can be later.
 */
export async function pastInstantOf(context: Context, moment: Moment, now?: number): Promise<string> {
  if (moment.span !== undefined) return instantOf(context, moment, 'ago', now);
  const present = now ?? (await serviceTime(context));
  const instant = instantAt(moment, present, 'ago');
  if (instant <= present + clock_tolerance_ms) return new Date(instant).toISOString();
  throw new UsageError(
    phrase`--since ${moment.typed} is still to come: it is ${timePart(new Date(present).toISOString(), 'none')} at the service.`,
    { code: 'bad_value' },
  );
}

async function serviceTime(context: Context): Promise<number> {
  const client = await context.client();
  const answer = await ifSupported(client.account.get(), null);
  return answer?.service_time ?? context.now();
}
