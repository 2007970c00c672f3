/** `deliveries quote`: what one delivery would cost with each provider. */
import type { DeliveryQuote } from '../../../contract/delivery-changes.ts';
import type { OrderRequest } from '../../../contract/orders.ts';
import type { Decline } from '../../../contract/routes.ts';
import { withoutAbsent } from '../../../domain/fields.ts';
import { moneyText } from '../../kit/args/flags.ts';
import { BadOutcome } from '../../kit/errors/failure.ts';
import { type InvocationFlags, invocation, phrase } from '../../kit/result/message.ts';
import { type Column, isForPeople, listResult, type Result } from '../../kit/result/result.ts';
import { noteAddresses } from '../../nouns/address-checks.ts';
import { findStoreId } from '../../nouns/find-by-name.ts';
import { reasonText } from '../../nouns/missing-quotes.ts';
import { copyLike } from '../../nouns/order-copy.ts';
import { orderFlags, readItem } from '../../nouns/order-flags.ts';
import { simulateFlag, simulationHeaders, sourceFlags } from '../../nouns/order-input.ts';
import { chargedPrice, declinedNotes, declinesIn } from '../../nouns/quote.ts';
import { timeLeftText } from '../../nouns/quote-columns.ts';
import { type Context, defineCommand, type FlagValues } from '../../session/command.ts';
import { readScheduledInstant, zoneOfPlace } from '../../session/service-times.ts';

const quoteFlags = {
  like: sourceFlags.like,
  store: orderFlags.store,
  pickupAddress: orderFlags.pickupAddress,
  pickupLatitude: orderFlags.pickupLatitude,
  pickupLongitude: orderFlags.pickupLongitude,
  pickupAt: orderFlags.pickupAt,
  dropoffAddress: orderFlags.dropoffAddress,
  dropoffLatitude: orderFlags.dropoffLatitude,
  dropoffLongitude: orderFlags.dropoffLongitude,
  dropoffAt: orderFlags.dropoffAt,
  item: { ...orderFlags.item, required: false },
  vehicle: orderFlags.vehicle,
  requestSignature: orderFlags.requestSignature,
  simulate: simulateFlag,
};

export const quote = defineCommand({
  name: 'quote',
  aliases: ['price', 'estimate', 'quotes'],
  summary: 'Get provider quotes for one delivery',
  description: [
    'Quotes are returned at once, cheapest first, and nothing is created. With --like it is the price of sending an',
    'order again, also to another address. The exit code is 9 if no provider offers one. Use a quote with',
    '`waybill deliveries create --quote ID` for the same two addresses.',
  ].join('\n'),
  flags: quoteFlags,
  examples: [
    {
      command: [
        "waybill deliveries quote --pickup-address '43 E Ohio St, Chicago, IL 60611'",
        "--dropoff-address '233 S Wacker Dr, Chicago, IL 60606'",
      ].join(' '),
      summary: 'As soon as possible',
    },
    {
      command:
        "waybill deliveries quote --store STORE --dropoff-address '233 S Wacker Dr, Chicago, IL 60606' --dropoff-at 3h",
      summary: 'From a saved pickup location, arriving in three hours',
    },
    {
      command:
        "waybill deliveries quote --like ORDER --dropoff-address '1060 W Addison St, Chicago, IL 60613'",
      summary: 'What it would cost to send an order to another address',
    },
  ],
  // It asks couriers, and the service keeps their quotes: a key that only reads may not.
  effect: 'write',
  meantByWord: (like) => invocation('deliveries quote', [], { like }),
  columns: deliveryQuoteColumns(0, null),
  calls: ['deliveries.quote', 'stores.list', 'orders.get'],
  answers: ({ each }) => [each('deliveries.quote')],
  exits: { 9: 'no provider offers a quote' },
  errors: ['no_quotes'],
  related: ['deliveries create', 'orders create'],
  async run(context, { flags }) {
    const client = await context.client();
    const store = flags.store && (await findStoreId(context, flags.store));
    const { body, pickup, tip } = await quoteRequest(context, flags, store);
    const zone = isForPeople(context.output.format) ? await zoneOfPlace(context, pickup) : null;
    await noteAddresses(context, body);
    const headers = simulationHeaders(flags.simulate);
    const { data, remarks } = await client.deliveries.quote({
      body,
      headers,
      idempotencyKey: context.idempotencyKey(),
    });
    // The quote is for these stops, this time and these items alone.
    const pickupAt = flags.pickupAt && body.pickup_at;
    const dropoffAt = flags.dropoffAt && body.dropoff_at;
    const typed = { ...flags, store, pickupAt, dropoffAt };
    return quotesResult(context, data, { zone, typed, tip, reasons: declinesIn(remarks) });
  },
});

/** The request that the flags make: what they do not give comes from the order of `--like`. Also its pickup and its tip. */
async function quoteRequest(
  context: Context,
  flags: FlagValues<typeof quoteFlags>,
  store: string | undefined,
) {
  const places = withoutAbsent({
    pickup_store_id: store,
    pickup_address: flags.pickupAddress,
    dropoff_address: flags.dropoffAddress,
  });
  const copy = flags.like === undefined ? {} : await copyLike(context, flags.like, places);
  const copied = quotedFields(copy, places);
  const { pickup_store_id, pickup_address, dropoff_address } = { ...copied, ...places };
  const pickup = { name: 'pickup', address: pickup_address, store: pickup_store_id } as const;
  const dropoff = { name: 'dropoff', address: dropoff_address } as const;
  const times = withoutAbsent({
    pickup_at: flags.pickupAt && (await readScheduledInstant(context, flags.pickupAt, pickup)),
    dropoff_at: flags.dropoffAt && (await readScheduledInstant(context, flags.dropoffAt, dropoff)),
  });
  const copiedTimes = withoutAbsent({ pickup_at: copy.pickup_at, dropoff_at: copy.dropoff_at });
  const body = {
    dropoff_address: '',
    ...copied,
    ...places,
    ...(Object.keys(times).length === 0 ? copiedTimes : times),
    ...withoutAbsent({
      pickup_latitude: flags.pickupLatitude,
      pickup_longitude: flags.pickupLongitude,
      dropoff_latitude: flags.dropoffLatitude,
      dropoff_longitude: flags.dropoffLongitude,
      vehicle: flags.vehicle,
      request_signature: flags.requestSignature || undefined,
      items: flags.item.length === 0 ? undefined : flags.item.map(readItem),
    }),
  };
  return { body, pickup, tip: copy.tip ?? 0 };
}

/** The fields of a copied order that affect its price, except its times. A place that is given replaces the copied one. */
export function quotedFields(
  copy: Partial<OrderRequest>,
  places: Partial<OrderRequest> = {},
): Partial<OrderRequest> {
  const { pickup_store_id, pickup_address, pickup_latitude, pickup_longitude } = copy;
  const { dropoff_address, dropoff_latitude, dropoff_longitude } = copy;
  const { items, request_signature, vehicle } = copy;
  const isElsewhere = places.pickup_store_id !== undefined || places.pickup_address !== undefined;
  return withoutAbsent({
    ...(isElsewhere ? {} : { pickup_store_id, pickup_address, pickup_latitude, pickup_longitude }),
    ...(places.dropoff_address === undefined ? { dropoff_address, dropoff_latitude, dropoff_longitude } : {}),
    items,
    request_signature,
    vehicle,
  });
}

interface QuoteQuestion {
  zone: string | null;
  typed: InvocationFlags;
  tip: number;
  /** Who does not quote, and why. */
  reasons: Decline[];
}

/** The quotes with the next command. Exit 9 if no provider offers one. */
function quotesResult(
  context: Context,
  quotes: readonly DeliveryQuote[],
  { zone, typed, tip, reasons }: QuoteQuestion,
): Result {
  const answer = listResult({ data: quotes, columns: deliveryQuoteColumns(context.serviceNow(), zone) });
  const [first] = quotes;
  if (first !== undefined) {
    // A copy of an order that was sent has its reference: the key says that it is meant, once.
    const idempotencyKey = typed.like === undefined ? undefined : `again-${first.id}`;
    const maxCost = moneyText(chargedPrice(first) + tip);
    const flags = { ...typed, quote: first.id, initiate: true, idempotencyKey, maxCost };
    const next = phrase`Next: ${invocation('deliveries create', [], flags)}`;
    return { ...answer, notes: [...declinedNotes({ reasons }), next] };
  }
  throw new BadOutcome('No provider offers a quote.', {
    code: 'no_quotes',
    ...(reasons.length === 0 ? {} : { why: reasons.map(reasonText).join('\n'), reasons }),
    hint: 'Try another time, smaller items or a shorter distance.',
    ...(context.output.json ? { answer } : {}),
  });
}

/** Columns of quotes for one delivery. People see local times and the time left, counted from `now`. */
function deliveryQuoteColumns(now: number, zone: string | null): Column<DeliveryQuote>[] {
  return [
    { field: 'service', header: 'Provider', kind: 'text' },
    { field: 'fee', header: 'Fee', kind: 'money' },
    { field: 'payment_amount', header: 'Charged', kind: 'money', only: 'people', unlessEmpty: true },
    {
      field: 'there_at',
      header: 'There at',
      kind: 'clock',
      zone: () => zone,
      only: 'people',
      value: ({ dropoff_at }) => dropoff_at,
    },
    {
      field: 'time_left',
      header: 'Time left',
      kind: 'text',
      only: 'people',
      spare: 1,
      value: ({ expires }) => timeLeftText(expires, now),
    },
    { field: 'dropoff_at', header: 'There at', kind: 'time', only: 'programs' },
    { field: 'expires', header: 'Expires', kind: 'time', only: 'programs' },
    { field: 'id', header: 'ID', kind: 'id' },
    { field: 'created', header: 'Created', kind: 'time', zone: () => zone, wide: true },
    { field: 'currency', header: 'Currency', kind: 'text', wide: true },
  ];
}
