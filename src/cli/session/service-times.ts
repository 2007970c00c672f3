/** Converts typed times to instants by the clock of the service, in the zone of the shop or of a place. */
import { ifSupported } from '../../client/errors.ts';
import { findZone } from '../../domain/addresses.ts';
import { minute_ms } from '../../domain/durations.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { zonedTime } from '../kit/output/zoned-clock.ts';
import { phrase, quoted, suggestionText, type Text, timePart } from '../kit/result/message.ts';
import type { Context } from './command.ts';
import { loadGazetteer, readLoadedAddress } from './gazetteer.ts';
import { instantAt, isDated, isLocalTime, type Moment, momentRemarks } from './time-arguments.ts';

/**
 * Converts a time to the API's form. A duration is counted from `from`, by default the service's time. A day or time
 * without a zone is that of the shop, in every command.
 */
export async function toApiInstant(
  context: Context,
  moment: Moment,
  direction: 'ago' | 'ahead',
  { from, zone }: { from?: number | undefined; zone?: string | null | undefined } = {},
): Promise<string> {
  const now = isDated(moment) ? 0 : (from ?? (await serviceTime(context)));
  const isInShopZone = zone === undefined && isLocalTime(moment);
  const usedZone = isInShopZone ? await shopZone(context) : zone;
  return new Date(instantAt(moment, now, direction, usedZone)).toISOString();
}

/** The zone of the shop: of the last pickup, or else of the newest store. Null if it is unknown. */
export async function shopZone(context: Pick<Context, 'client'>): Promise<string | null> {
  const { deliveries, stores } = await context.client();
  const shipped = await ifSupported(deliveries.list({ query: { limit: 1 } }), null);
  const zone = findZone(shipped?.data.data[0]?.pickup_address ?? '');
  if (zone !== null) return zone;
  const store = await ifSupported(stores.list({ query: { limit: 1 } }), null);
  return findZone(store?.data.data[0]?.address ?? '');
}

/** Where a delivery is picked up or dropped off: an address, or the ID of a store. */
interface SchedulePlace {
  name: 'pickup' | 'dropoff';
  address: string | undefined;
  store?: string | undefined;
  /** The flag of the time, if it is not named after the place. */
  flag?: string;
}

/**
 * Reads the time of a pickup or dropoff in the zone of the place, and notes on stderr what was read, once for all times
 * with the same `noted`. Throws UsageError if the zone is not known, as that of this machine may differ by hours.
 */
export async function readScheduledInstant(
  context: Context,
  moment: Moment,
  place: SchedulePlace,
  noted = new Set<string>(),
): Promise<string> {
  if (!isLocalTime(moment)) return toApiInstant(context, moment, 'ahead');
  const zone = await zoneOfPlace(context, place);
  if (zone === null && !('zone' in moment)) throw unknownZoneError(moment, place);
  const instant = await toApiInstant(context, moment, 'ahead', { zone });
  const at = Date.parse(instant);
  const now = context.serviceNow();
  if (!isDated(moment) && at <= now) throw passedTimeError(moment, place, zonedTime(now, zone ?? undefined));
  const meant = [meantText(at, zone, place), momentRemarks(moment, at, zone).join('; ')].filter(Boolean);
  const note = `"${moment.typed}" is ${meant.join(': ')}.`;
  if (!context.output.json && !context.output.quiet && !noted.has(note)) context.note(note);
  noted.add(note);
  return instant;
}

/** The error for a time of today that has passed. */
function passedTimeError(
  { typed, day }: Moment,
  { name, flag: param = `--${name}-at` }: SchedulePlace,
  now: string,
): UsageError {
  const isToday = day === 0 && !/today|tonight/i.test(typed);
  return new UsageError(
    `${param} must be in the future: "${typed}" has passed, it is ${now} at the ${name}.`,
    { code: 'bad_value', param, ...(isToday ? { hint: `For the next day: "tomorrow ${typed}".` } : {}) },
  );
}

/** The error for a local time at a place whose zone is not known. */
function unknownZoneError(
  { typed }: Moment,
  { name, address, flag: param = `--${name}-at` }: SchedulePlace,
): UsageError {
  const where = address === undefined ? `the ${name}` : `"${address}"`;
  return new UsageError(`${param} "${typed}" is a local time, and the time zone of ${where} is not known.`, {
    code: 'bad_value',
    param,
    hint: 'Add the ZIP code or the state to the address, or give the time with its offset: 2026-03-02T18:00-06:00.',
  });
}

/** An instant in words: `Tue, Nov 24, 2026, 18:00 CST at the pickup (Tue, Nov 24, 2026, 19:00 EST here)`. */
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
  if (address !== undefined) {
    await loadGazetteer();
    const reading = readLoadedAddress(address);
    return 'fault' in reading ? null : findZone(reading.address);
  }
  if (store === undefined) return null;
  const client = await context.client();
  return findZone((await client.stores.get({ params: { store_id: store } })).data.address);
}

/** The zone of a store's days; that of the shop without a store. */
export async function dayZone(context: Context, store: string | undefined): Promise<string | null> {
  if (store === undefined) return shopZone(context);
  return (await ifSupported(zoneOfPlace(context, { address: undefined, store }), null)) ?? shopZone(context);
}

/** Clocks of two machines may differ by this much. */
const clock_tolerance_ms = minute_ms;

/** Reads the start of past records as an instant. Throws UsageError for a time that is still to come. */
export async function readPastInstant(
  context: Context,
  moment: Moment,
  {
    now,
    zone,
    store,
    flag = '--since',
    hint,
  }: {
    now?: number | undefined;
    zone?: string | null | undefined;
    /** The ID of the store whose zone applies if no zone is given. */
    store?: string | undefined;
    flag?: string;
    hint?: Text;
  } = {},
): Promise<string> {
  if (moment.span !== undefined) return toApiInstant(context, moment, 'ago', { from: now });
  const present = now ?? (await serviceTime(context));
  const isInShopZone = zone === undefined && isLocalTime(moment);
  const usedZone = isInShopZone ? await dayZone(context, store) : (zone ?? null);
  const instant = instantAt(moment, present, 'ago', usedZone);
  if (instant <= present + clock_tolerance_ms) return new Date(instant).toISOString();
  // A time without a day, such as `8:00`, is that of today.
  const isTimeAlone = /^\d{1,2}(?::\d\d)? ?(?:[ap]m)?$/i.test(moment.typed);
  const yesterday = [`${flag} ${quoted(`yesterday ${moment.typed}`)}`];
  const shownHint = isTimeAlone ? suggestionText(yesterday) : hint;
  const presentTime = timePart(new Date(present).toISOString(), 'none', usedZone);
  throw new UsageError(
    phrase`${flag} ${moment.typed} is still to come: it is ${presentTime} at the service.`,
    { code: 'bad_value', ...(shownHint === undefined ? {} : { hint: shownHint }) },
  );
}

/** The service's time, as it reports it now; this machine's if it reports none. */
export async function serviceTime(context: Context): Promise<number> {
  const client = await context.client();
  const answer = await ifSupported(client.account.get(), null);
  return answer?.service_time ?? context.now();
}
