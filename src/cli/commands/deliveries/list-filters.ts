/** The filters of a list of deliveries: what the service is asked for, what is kept of its answer, and how it was typed. */
import type { Client } from '../../../client/client.ts';
import type { AnyDelivery, Delivery } from '../../../contract/deliveries.ts';
import { day_ms } from '../../../domain/durations.ts';
import { stuck_after_ms } from '../../../domain/lateness.ts';
import { moneyFlag, moneyText, namesFlag, switchFlag, textFlag } from '../../kit/args/flags.ts';
import type { InvocationFlags } from '../../kit/result/message.ts';
import { deliveryListColumns, isUnproved } from '../../nouns/delivery.ts';
import { checkProvider, findStoreId, storeFlag } from '../../nouns/find-by-name.ts';
import { isCompletePhone, phone, phoneInUse } from '../../nouns/phone-arguments.ts';
import type { Context, FlagValues } from '../../session/command.ts';
import { createdFlags } from '../../session/created-periods.ts';
import {
  chargedFlag,
  dueFlags,
  isOfPeriod,
  listPeriods,
  refuseContradiction,
} from '../../session/list-periods.ts';
import { type Filter, withConditions } from '../../session/record-filter.ts';
import { readPastInstant } from '../../session/service-times.ts';
import { momentFlag } from '../../session/time-arguments.ts';
import { secondsFlag, secondsText } from '../../session/typed-lengths.ts';
import { isEndedName, readStatuses, statusFlag } from './status-filter.ts';

const overdueBySeconds = secondsFlag({
  minimum: 0,
  maximum: (365 * day_ms) / 1000,
  summary: 'Only active deliveries whose next report is overdue by this (default: 10m)',
  placeholder: 'DURATION',
});

/** `--stuck`, or `--stuck 20m`: without a value the usual time. */
const overdueFlag = {
  ...overdueBySeconds,
  hasOptionalValue: /^[^-]/,
  read: (texts: readonly string[]) =>
    texts.at(-1) === '' ? stuck_after_ms / 1000 : overdueBySeconds.read(texts),
};

export const filterFlags = {
  status: statusFlag,
  active: switchFlag({
    summary: 'Only deliveries under way, the same as --status active',
    aliases: ['open'],
  }),
  late: switchFlag({
    summary:
      'Only what is late now, or will be; of a period, or with an ended status, also what arrived late',
  }),
  stuck: overdueFlag,
  search: textFlag({
    summary:
      "Search names, addresses, e-mails, notes, items, reasons, references, IDs, a phone's last digits (at least four); drivers, too",
    aliases: ['q', 'customer', 'name', 'email', 'address'],
  }),
  store: storeFlag(),
  ...dueFlags,
  withoutProof: switchFlag({
    summary: 'Only delivered ones without a photo, PIN or signature as proof',
  }),
  scheduled: switchFlag({
    summary: 'Only pre-orders: deliveries with an agreed time',
    aliases: ['preorders', 'pre-orders'],
  }),
  reassigned: switchFlag({ summary: 'Only deliveries that lost a driver and needed a new one' }),
  minCost: moneyFlag({ summary: 'Only deliveries that cost at least this, with tip, fees and refunds' }),
  maxCost: moneyFlag({ summary: 'Only deliveries that cost at most this' }),
  minTip: moneyFlag({ summary: 'Only deliveries with a tip of at least this' }),
  unchangedSince: momentFlag({
    isPast: true,
    summary: 'Only active deliveries without a change for this long, such as 20m',
  }),
  externalOrderRef: textFlag({ summary: 'Filter by your reference', aliases: ['ref'], placeholder: 'REF' }),
  service: namesFlag({ summary: 'Filter by provider', aliases: ['provider', 'providers', 'courier'] }),
  phone: phone({
    summary: 'Filter by pickup or dropoff phone number, or by its last digits, at least four',
  }),
  driver: textFlag({
    summary: "Filter by words of the name of the driver, your own or a courier's",
    aliases: ['driver-name', 'courier-name'],
    placeholder: 'NAME',
  }),
  ...chargedFlag,
  ...createdFlags,
};

type Filters = FlagValues<typeof filterFlags>;
type PeriodName = 'since' | 'until' | 'period' | 'due' | 'delivered' | 'ended';

type Query = NonNullable<NonNullable<Parameters<Client['deliveries']['listDetailed']>[0]>['query']>;

/** The filters of a list, by who applies them. */
interface ReadFilters {
  /** Those of the service. */
  query: Query & { status: ReturnType<typeof readStatuses> };
  /** Those that the client applies, because the service has none: a test, and conditions on the columns `compared`. */
  local: {
    keep: Condition | undefined;
    filter: Filter | undefined;
    compared: ReturnType<typeof deliveryListColumns>;
  };
  /** As they were typed, for the command that continues the list. */
  typed: InvocationFlags;
  /** The digits of `--phone`. */
  phone: string | undefined;
  /** Whether it is about what has ended or may have: a period, or an ended status. */
  isPast: boolean;
}

/**
 * Reads the filters. Of `--late --min-cost 10 --phone 0142` the service is asked for `{ late: true, q: '0142' }`, and of
 * its answer those are kept whose `total_cost >= 10.00` and whose phone number ends so. To add one: its flag in
 * `filterFlags`, its text in `typedFilters`, and its test in one of three places: `query` if the service has it,
 * `columnConditions` if a column has it, else `keptBy`.
 */
export async function readFilters(
  context: Context,
  flags: Filters & { watch: boolean; filter: Filter | undefined },
): Promise<ReadFilters> {
  const store_id = flags.store && (await findStoreId(context, flags.store));
  for (const name of flags.service) await checkProvider(context, name);
  await context.client();
  const status = readStatuses(context, flags);
  refuseContradiction(flags, status ?? [], flags.active ? '--active' : `--status ${flags.status?.join(',')}`);
  const { ending, number, q } = await readPhone(context, flags);
  const unchanged = flags.unchangedSince;
  const unchanged_since =
    unchanged && (await readPastInstant(context, unchanged, { flag: '--unchanged-since', store: store_id }));
  const { isPast, ...lateness } = latenessOf(flags, status);
  const isOfLate = lateness.was_late === true;
  const periods = await listPeriods(context, flags, { store: store_id, isOfLate });
  const compared = deliveryListColumns(() => context.serviceNow(), null, { isSearched: true });
  return {
    query: {
      status,
      external_order_ref: flags.externalOrderRef,
      service: flags.service.length === 0 ? undefined : flags.service,
      phone: number,
      q,
      driver_name: flags.driver,
      ...lateness,
      overdue: flags.stuck,
      unchanged_since,
      store_id,
      ...periods.query,
    },
    local: {
      keep: keptBy(flags, ending),
      filter: withConditions(flags.filter, columnConditions(flags), compared),
      compared,
    },
    typed: {
      ...typedFilters(flags),
      unchangedSince: unchanged_since,
      store: store_id,
      phone: number ? `+${number}` : ending,
      ...periods.filters,
    },
    phone: number ?? ending,
    isPast,
  };
}

/** The filters as they were typed, for the command that continues the list. */
function typedFilters(flags: Filters) {
  return {
    status: flags.status?.join(','),
    active: flags.active || undefined,
    late: flags.late || undefined,
    driver: flags.driver,
    stuck: flags.stuck === undefined ? undefined : secondsText(flags.stuck),
    externalOrderRef: flags.externalOrderRef,
    service: flags.service.join(',') || undefined,
    scheduled: flags.scheduled || undefined,
    reassigned: flags.reassigned || undefined,
    withoutProof: flags.withoutProof || undefined,
    search: flags.search,
  };
}

type Condition = (delivery: AnyDelivery) => boolean;

/** The filters that are conditions on columns: texts, as those of `--filter`, with which they are read and named in errors. */
function columnConditions({ minCost, maxCost, minTip }: Filters): (string | false)[] {
  return [
    minCost !== undefined && `total_cost >= ${moneyText(minCost)}`,
    maxCost !== undefined && `total_cost <= ${moneyText(maxCost)}`,
    minTip !== undefined && `tip >= ${moneyText(minTip)}`,
  ];
}

/** Whether a delivery meets each filter that the service does not have; undefined if none is set. */
function keptBy(
  { scheduled, reassigned, withoutProof }: Pick<Filters, 'scheduled' | 'reassigned' | 'withoutProof'>,
  ending: string | undefined,
): Condition | undefined {
  const optional: (Condition | false)[] = [
    scheduled && (({ delivery_type }) => delivery_type === 'scheduled'),
    reassigned && isReassigned,
    withoutProof && isUnproved,
    ending !== undefined && ((delivery) => hasPhoneEnding(delivery, ending)),
  ];
  const conditions = optional.filter((condition) => condition !== false);
  if (conditions.length === 0) return undefined;
  return (delivery) => conditions.every((holds) => holds(delivery));
}

/** Whether the phone number of the pickup or dropoff ends in these digits. */
function hasPhoneEnding({ pickup_phone_number, dropoffs }: AnyDelivery, ending: string): boolean {
  const phones = [pickup_phone_number, ...dropoffs.map((each) => each.dropoff_phone_number)];
  return phones.some((phone) => phone.endsWith(ending));
}

function isReassigned({ status_history }: Pick<Delivery, 'status_history'>): boolean {
  return status_history.some(({ status }) => status === 'driver_not_assigned');
}

/**
 * The filter of `--phone`: a whole number is one of the service. Of a part, the service searches the words, which also
 * match drivers and addresses, and only phone numbers that end so are kept.
 */
async function readPhone(
  context: Context,
  { phone: typed, search }: Record<'phone' | 'search', string | undefined>,
) {
  const ending = typed !== undefined && !isCompletePhone(typed) ? typed : undefined;
  const number = ending === undefined ? typed && (await phoneInUse(context, typed)) : undefined;
  return { ending, number, q: [search, ending].filter((text) => text !== undefined).join(' ') || undefined };
}

/** The filter of --late: of a period or an ended status, it finds what arrived late, too. */
function latenessOf(
  { late, watch, ...times }: Pick<Filters, 'late' | PeriodName> & { watch: boolean },
  status: readonly string[] | undefined,
): { isPast: boolean; late?: true; was_late?: true } {
  const { since, until, period, due, delivered, ended } = times;
  const isDated = isOfPeriod({ since, until, period, due, delivered, ended });
  const isPast = isDated || status?.some(isEndedName) === true;
  if (!late) return { isPast };
  return isPast && !watch ? { isPast, was_late: true } : { isPast, late: true };
}
