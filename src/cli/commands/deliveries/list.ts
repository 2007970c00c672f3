/** The list of deliveries: its filters, and why it is empty. */
import type { AnyDelivery } from '../../../contract/deliveries.ts';
import { stuck_after_ms } from '../../../domain/lateness.ts';
import { namesFlag, switchFlag, textFlag } from '../../kit/args/flags.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { isForPeople } from '../../kit/result/result.ts';
import { deliveryListColumns } from '../../nouns/delivery.ts';
import { watchDeliveries } from '../../nouns/delivery-waiting.ts';
import { checkProvider, findStoreId, storeFlag } from '../../nouns/find-by-name.ts';
import {
  deliveryTexts,
  isCompletePhone,
  phone,
  phoneInUse,
  similarDrivers,
} from '../../nouns/find-delivery.ts';
import { type Context, defineCommand, isOwnService } from '../../session/command.ts';
import { chargedFlag, dueFlags, listPeriods } from '../../session/due-periods.ts';
import {
  bindFilter,
  createdFlags,
  explainNoneListed,
  groupHints,
  isOfPeriod,
  listing,
  type Periods,
  pagingFlags,
  periodPaging,
} from '../../session/listing.ts';
import { type Sort, sortFlag, withConditions } from '../../session/record-filter.ts';
import { readPastInstant } from '../../session/service-times.ts';
import { momentFlag, secondsFlag, secondsText } from '../../session/time-arguments.ts';
import { checkWatchedList, toWaiting, watchedLimit, watchFlags } from '../../waiting/waiting-flags.ts';
import {
  deliveryOrders,
  keptBy,
  keptConditions,
  keptFlags,
  listedLate,
  listedTries,
  sortNames,
} from './kept-deliveries.ts';
import { isEndedName, readStatuses, statusFlag } from './status-filter.ts';

const overdueBySeconds = secondsFlag({
  minimum: 0,
  maximum: 31_536_000,
  summary: 'Only active deliveries whose next report is overdue by this (default: 10m)',
  placeholder: 'DURATION',
});

const overdueFlag = {
  ...overdueBySeconds,
  hasOptionalValue: /^[^-]/,
  read: (texts: readonly string[]) =>
    texts.at(-1) === '' ? stuck_after_ms / 1000 : overdueBySeconds.read(texts),
};

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List deliveries, newest first',
  description: [
    'A name that is both a status and a group, such as failed, means the group; active are all that are under way, and',
    'not_picked_up ("not picked up", "waiting for pickup") those of them before the pickup, also with a driver coming.',
    'A period is that of the creation; in a list of late ones it is that of the promise: --late --on yesterday lists what',
    'was promised for yesterday and came late, as report yesterday counts it. --due, --delivered and --ended are about the promise,',
    'the arrival and the end of any kind. --stuck, and --late without a period, leave out deliveries that have ended. CHARGED is what was',
    'charged, less refunds: in a CSV and JSON it is total_cost, with a field for each kind of charge, while',
    'agreed_price_cents (payment_amount) is the price of the quote, which a failed delivery does not cost. A CSV of a',
    'period that has ended says in later_cost which part of total_cost was charged or refunded afterwards; --charged lists',
    'what was charged or refunded in a period, with only that as its cost, so that the sum is that of charges list and',
    'report. The tries of an order are deliveries of their own: --search with its ID lists them. --watch prints a line for each change until every listed delivery ends. With --json each line is a delivery with a type: delivery.current first, then delivery.updated.',
  ].join('\n'),
  flags: {
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
    ...keptFlags,
    unchangedSince: momentFlag({
      isPast: true,
      summary: 'Only active deliveries without a change for this long, such as 20m',
    }),
    externalOrderRef: textFlag({ summary: 'Filter by your reference', aliases: ['ref'], placeholder: 'REF' }),
    service: namesFlag({ summary: 'Filter by provider', aliases: ['provider', 'providers'] }),
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
    ...watchFlags('every delivery ends'),
    ...pagingFlags,
    sort: sortFlag({
      own: sortNames,
      summary:
        'Sort by any column, the most and the latest first, texts from A (COLUMN:asc, :desc), or by due, eta or pickup, soonest first, late, price, wait for a driver or tip, most first (default: late with --late, due with --due)',
    }),
  },
  flagHints: {
    ...groupHints,
    '--min-value': phrase`Did you mean ${invocation('orders list', [], { minValue: 'VALUE' })}?`,
    '--tries': phrase`Did you mean ${invocation('orders list', [], { tries: '2' })}?`,
    '--took-over': phrase`Did you mean ${invocation('deliveries list', [], { filter: 'minutes > 45' })}?`,
  },
  examples: [
    { command: 'waybill deliveries list --status in_transit', summary: 'List deliveries in transit' },
    {
      command: "waybill deliveries list --store 'Ohio Street Grill' --status active",
      summary: 'What a store has under way, with its pickup times',
    },
    {
      command: 'waybill deliveries list --status not_picked_up',
      summary: 'What couriers have not picked up yet',
    },
    { command: 'waybill deliveries list --late', summary: 'List late deliveries' },
    { command: 'waybill deliveries list --late --on yesterday', summary: 'Which were late yesterday' },
    {
      command: "waybill deliveries list --late --filter 'promised_at < now'",
      summary: 'What is late now, without what will be late',
    },
    { command: 'waybill deliveries list --due tomorrow', summary: 'What is promised for tomorrow' },
    {
      command: 'waybill deliveries list --charged yesterday --all -o csv',
      summary: 'A file of what was charged yesterday, by delivery',
    },
    { command: 'waybill deliveries list --delivered yesterday', summary: 'What was delivered yesterday' },
    {
      command: 'waybill deliveries list --status returned --ended yesterday',
      summary: 'What came back yesterday, whenever it was ordered',
    },
    { command: "waybill deliveries list --driver 'Amara' --active", summary: 'What a driver carries' },
    {
      command: "waybill deliveries list --filter 'total_cost > payment_amount + tip'",
      summary: 'Which cost more than their quotes: any columns, compared',
    },
    {
      command: 'waybill deliveries list --on yesterday --sort total_cost --limit 5',
      summary: 'The five dearest of yesterday',
    },
    { command: 'waybill deliveries list --stuck', summary: 'List deliveries whose next report is overdue' },
    { command: 'waybill deliveries list --phone +13125550142', summary: 'Find deliveries by phone number' },
    {
      command: "waybill deliveries list --search 'muller 0142'",
      summary: 'Search names, addresses, phone numbers and more',
    },
    {
      command: 'waybill deliveries list --status failed,canceled --since 1d --json',
      summary: 'List failed and canceled deliveries since yesterday',
    },
    {
      command: 'waybill deliveries list --status in_transit --watch',
      summary: 'Follow deliveries in transit',
    },
    {
      command: 'waybill deliveries list --active --sort wait',
      summary: 'Which orders are waiting longest for a driver?',
    },
    {
      command: "waybill deliveries list --on yesterday --filter 'minutes > 45'",
      summary: 'What took over 45 minutes from the order to the door',
    },
    {
      command: "waybill deliveries list --store 'Ohio Street Grill' --status not_picked_up --sort pickup",
      summary: 'Which couriers are coming to a store to pick up, and when?',
    },
  ],
  columns: deliveryListColumns(() => 0, null, { isSearched: true }),
  effect: 'read',
  calls: ['deliveries.listDetailed', 'deliveries.getDetailed', 'stores.list'],
  answers: ({ each }) => [each('deliveries.listDetailed')],
  errors: ['still_pending'],
  related: ['deliveries explain', 'deliveries get', 'deliveries watch'],
  async run(context, { flags }) {
    const { externalOrderRef, service, driver } = flags;
    checkWatchedList(context, flags);
    const store_id = flags.store && (await findStoreId(context, flags.store));
    for (const name of service) await checkProvider(context, name);
    const client = await context.client();
    const status = readStatuses(context, flags);
    const { ending, number, q } = await readPhone(context, flags);
    const unchanged = flags.unchangedSince;
    const unchanged_since =
      unchanged && (await readPastInstant(context, unchanged, { flag: '--unchanged-since' }));
    const { isPast, ...lateness } = latenessOf(flags, status);
    const isOfLate = lateness.was_late === true;
    const periods = await listPeriods(context, flags, { store: store_id, isOfLate });
    const query = {
      status,
      external_order_ref: externalOrderRef,
      service: service.length === 0 ? undefined : service,
      phone: number,
      q,
      driver_name: driver,
      ...lateness,
      overdue: flags.stuck,
      unchanged_since,
      store_id,
      ...periods.query,
    };
    const filters = {
      ...typedFilters(flags),
      unchangedSince: unchanged_since,
      store: store_id,
      phone: number ? `+${number}` : ending,
      ...periods.filters,
    };
    const keep = keptBy({ ...flags, ending });
    const compared = deliveryListColumns(() => context.serviceNow(), null, { isSearched: true });
    const filter = withConditions(flags.filter, keptConditions(flags), compared);
    if (flags.watch) {
      const bound = await bindFilter(context, filter, compared, store_id);
      const kept = (each: AnyDelivery) => keep?.(each) !== false && bound?.keep(each) !== false;
      const limited = { ...query, limit: watchedLimit(flags.limit) };
      const typed = { ...filters, filter: filter?.typed };
      return watchDeliveries(context, { query: limited, filters: typed, keep: kept }, toWaiting(flags));
    }
    const sort = flags.sort ?? usualSort(context, flags);
    return listing(context, {
      list: client.deliveries.listDetailed,
      statuses: status,
      ...(sort === undefined ? listedTries() : {}),
      ...(lateness.late ? listedLate(() => context.serviceNow()) : {}),
      keep,
      compared,
      orders: deliveryOrders,
      query,
      paging: { ...periodPaging(context, flags, flags), filter, sort },
      columns: listColumns(context, flags),
      command: invocation('deliveries list'),
      filters,
      explainEmpty: () => explainNone(context, { search: q, driver, ref: externalOrderRef }),
      empty: flags.late
        ? noneLate({ ...filters, filter: filter?.typed }, isPast)
        : noneFound(externalOrderRef, status, number ?? ending),
      start: phrase`No deliveries yet. Send the first: ${invocation('ship')}`,
    });
  },
});

/** The filters of the command that continues the list, of those that are as they were typed. */
function typedFilters(flags: {
  status: readonly string[] | undefined;
  active: boolean;
  late: boolean;
  driver: string | undefined;
  stuck: number | undefined;
  externalOrderRef: string | undefined;
  service: readonly string[];
  reassigned: boolean;
  withoutProof: boolean;
  search: string | undefined;
}) {
  return {
    status: flags.status?.join(','),
    active: flags.active || undefined,
    late: flags.late || undefined,
    driver: flags.driver,
    stuck: flags.stuck === undefined ? undefined : secondsText(flags.stuck),
    externalOrderRef: flags.externalOrderRef,
    service: flags.service.join(',') || undefined,
    reassigned: flags.reassigned || undefined,
    withoutProof: flags.withoutProof || undefined,
    search: flags.search,
  };
}

/** Words of the search also match drivers and addresses: of what the end of a phone number finds, only the ends are kept. */
async function readPhone(
  context: Context,
  { phone: typed, search }: Record<'phone' | 'search', string | undefined>,
) {
  const ending = typed !== undefined && !isCompletePhone(typed) ? typed : undefined;
  const number = ending === undefined ? typed && (await phoneInUse(context, typed)) : undefined;
  return { ending, number, q: [search, ending].filter((text) => text !== undefined).join(' ') || undefined };
}

/** The default order: the latest first with `--late`, the soonest due first with `--due`; not after a cursor. */
function usualSort(
  context: Pick<Context, 'has'>,
  { late, due, cursor }: { late: boolean; due: unknown; cursor: string | undefined },
): Sort | undefined {
  if (cursor !== undefined || !isOwnService(context)) return undefined;
  const name = late ? 'late' : 'due';
  return late || due !== undefined ? { name, typed: undefined, isOwn: true, direction: null } : undefined;
}

/** Why a list is empty: the order has no delivery yet, or a word is misspelled. */
async function explainNone(
  context: Context,
  { search, driver, ref }: Record<'search' | 'driver' | 'ref', string | undefined>,
): Promise<string | null> {
  if (search !== undefined) return explainNoneListed(search, (q) => deliveryTexts(context, q));
  if (driver !== undefined) return explainNoneListed(driver, (name) => similarDrivers(context, name));
  if (ref === undefined) return null;
  const client = await context.client();
  const { data } = await client.deliveries.listDetailed({ query: { external_order_ref: ref, limit: 1 } });
  if (data.data.length > 0) return null;
  const { orderWithoutDelivery } = await import('../../nouns/order-waiting.ts');
  return (await orderWithoutDelivery(context, ref))?.message ?? null;
}

function noneFound(
  ref: string | undefined,
  status: readonly string[] | undefined,
  phone: string | undefined,
): Text {
  const isList = ref?.includes(',') === true;
  if (status?.join() === 'initial') {
    const before = invocation('deliveries list', [], { status: 'not_picked_up' });
    return phrase`No deliveries found: initial are those without a driver yet. With the drivers on the way to the pickup: ${before}`;
  }
  if (phone !== undefined)
    return phrase`No deliveries found: --phone is that of pickup and dropoff. A driver's: ${invocation('deliveries list', [], { search: phone })}`;
  return `No deliveries found.${isList ? ` --ref takes one reference, and is the whole of "${ref}".` : ''}`;
}

function listColumns(
  { output, serviceNow }: Pick<Context, 'output' | 'serviceNow'>,
  { search, store }: Record<'search' | 'store', string | undefined>,
) {
  return deliveryListColumns(() => serviceNow(), output.times, {
    isSearched: search !== undefined,
    isStoreList: store !== undefined,
    isFile: !isForPeople(output.format),
  });
}

/** The filter of --late: of a period or an ended status, it finds what arrived late, too. */
function latenessOf(
  { late, watch, charged: _, ...times }: { late: boolean; watch: boolean; charged?: unknown } & Periods,
  status: readonly string[] | undefined,
): { isPast: boolean; late?: true; was_late?: true } {
  const isPast = isOfPeriod(times) || status?.some(isEndedName) === true;
  if (!late) return { isPast };
  return isPast && !watch ? { isPast, was_late: true } : { isPast, late: true };
}

function noneLate(filters: Readonly<Record<string, unknown>>, isPast: boolean): string {
  if (isPast) return 'None of these deliveries is or was late. A period is that of the promise.';
  const isAlone = Object.values(filters).filter((value) => value !== undefined).length === 1;
  return isAlone
    ? 'Nothing is late.'
    : 'None of these deliveries is late, or will be. Add a period for what came late: --on today.';
}
