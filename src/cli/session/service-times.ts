/** Times as typed, converted to instants by the service's clock and the zone of an address. */
import { ifSupported } from '../../client/errors.ts';
import { normalizeAddress, zoneOf } from '../../domain/addresses.ts';
import { instantAt, isLocalTime, type Moment } from '../kit/args/time-arguments.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { zonedTime } from '../kit/output/times.ts';
import { phrase, timePart } from '../kit/result/message.ts';
import type { Context } from './command.ts';

/** Converts a time to the API's form. A duration is counted from `from`, by default the service's time. */
export async function instantOf(
  context: Context,
  moment: Moment,
  direction: 'ago' | 'ahead',
  { from, zone }: { from?: number | undefined; zone?: string | null | undefined } = {},
): Promise<string> {
  const now = moment.at ?? from ?? (await serviceTime(context));
  return new Date(instantAt(moment, now, direction, zone)).toISOString();
}

/** Where a delivery is picked up or dropped off: an address, or the ID of a store. */
interface SchedulePlace {
  name: 'pickup' | 'dropoff';
  address: string | undefined;
  store?: string | undefined;
}

/**
 * Does the same for the time of a delivery. A time without a zone is read in the zone of the place. What is meant is
 * printed on stderr, also in the user's own zone if that differs, once for all times with the same `noted`.
 */
export async function scheduledInstantOf(
  context: Context,
  moment: Moment,
  place: SchedulePlace,
  noted = new Set<string>(),
): Promise<string> {
  if (!isLocalTime(moment)) return instantOf(context, moment, 'ahead');
  const zone = await zoneOfPlace(context, place);
  const instant = await instantOf(context, moment, 'ahead', { zone });
  const note = `"${moment.typed}" is ${meantText(Date.parse(instant), zone, place)}.`;
  if (!context.output.json && !context.output.quiet && !noted.has(note)) context.note(note);
  noted.add(note);
  return instant;
}

/** `Tue, Nov 24, 2026, 18:00 CST at the pickup (19:00 EST here)` */
function meantText(instant: number, zone: string | null, { name }: SchedulePlace): string {
  const here = zonedTime(instant);
  const there = zone === null ? here : zonedTime(instant, zone);
  return there === here ? here : `${there} at the ${name} (${here} here)`;
}

/** The IANA zone of a place; null if it is unknown. */
export async function zoneOfPlace(
  context: Context,
  { address, store }: Pick<SchedulePlace, 'address' | 'store'>,
): Promise<string | null> {
  if (address !== undefined) return zoneOf(normalizeAddress(address)?.address ?? address);
  if (store === undefined) return null;
  const client = await context.client();
  return zoneOf((await client.stores.get({ params: { store_id: store } })).data.address);
}

/** Clocks of two machines may differ by this much. */
const clock_tolerance_ms = 60_000;

/**
 * Does the same for the start of past records. UsageError for a time in the future of the service's clock, or of `now`:
 * no record can be later.
 */
export async function pastInstantOf(
  context: Context,
  moment: Moment,
  {
    now,
    zone,
    flag = '--since',
  }: { now?: number | undefined; zone?: string | null | undefined; flag?: string } = {},
): Promise<string> {
  if (moment.span !== undefined) return instantOf(context, moment, 'ago', { from: now });
  const present = now ?? (await serviceTime(context));
  const instant = instantAt(moment, present, 'ago', zone);
  if (instant <= present + clock_tolerance_ms) return new Date(instant).toISOString();
  throw new UsageError(
    phrase`${flag} ${moment.typed} is still to come: it is ${timePart(new Date(present).toISOString(), 'none')} at the service.`,
    { code: 'bad_value' },
  );
}

async function serviceTime(context: Context): Promise<number> {
  const client = await context.client();
  const answer = await ifSupported(client.account.get(), null);
  return answer?.service_time ?? context.now();
}
