import type { DeliveryQuote } from '../../../contract/delivery-changes.ts';
import { BadOutcome } from '../../kit/errors/failure.ts';
import { lengthText } from '../../kit/output/times.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, isForPeople, list, type Result } from '../../kit/result/result.ts';
import { findStoreId } from '../../nouns/drivers-and-stores.ts';
import { defined, orderFlags, readItem } from '../../nouns/order-flags.ts';
import { simulateFlag, simulationHeaders } from '../../nouns/order-input.ts';
import { type Context, defineCommand } from '../../session/command.ts';
import { scheduledInstantOf, zoneOfPlace } from '../../session/service-times.ts';

export const quote = defineCommand({
  name: 'quote',
  aliases: ['price', 'estimate', 'quotes'],
  summary: 'Get provider quotes for one delivery',
  description: [
    'Quotes are returned at once, cheapest first. The exit code is 9 if no provider offers one. Use a quote with',
    '`waybill deliveries create --quote ID` for the same two addresses.',
  ].join('\n'),
  flags: {
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
  },
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
  ],
  effect: 'write',
  calls: ['deliveries.quote', 'stores.list'],
  answers: ({ each }) => [each('deliveries.quote')],
  exits: { 9: 'no provider offers a quote' },
  errors: ['no_quotes'],
  related: ['deliveries create', 'orders create'],
  async run(context, { flags }) {
    const client = await context.client();
    const store = flags.store && (await findStoreId(context, flags.store));
    const from = { name: 'pickup', address: flags.pickupAddress, store } as const;
    const to = { name: 'dropoff', address: flags.dropoffAddress } as const;
    const body = {
      dropoff_address: flags.dropoffAddress ?? '',
      ...defined({
        pickup_store_id: store,
        pickup_address: flags.pickupAddress,
        pickup_latitude: flags.pickupLatitude,
        pickup_longitude: flags.pickupLongitude,
        dropoff_latitude: flags.dropoffLatitude,
        dropoff_longitude: flags.dropoffLongitude,
        pickup_at: flags.pickupAt && (await scheduledInstantOf(context, flags.pickupAt, from)),
        dropoff_at: flags.dropoffAt && (await scheduledInstantOf(context, flags.dropoffAt, to)),
        vehicle: flags.vehicle,
        request_signature: flags.requestSignature || undefined,
        items: flags.item.length === 0 ? undefined : flags.item.map(readItem),
      }),
    };
    const zone = isForPeople(context.output.format) ? await zoneOfPlace(context, from) : null;
    const headers = simulationHeaders(flags.simulate);
    const { data } = await client.deliveries.quote({
      body,
      headers,
      idempotencyKey: context.idempotencyKey(),
    });
    return quoted(context, data, zone);
  },
});

function quoted(context: Context, quotes: readonly DeliveryQuote[], zone: string | null): Result {
  const answer = list({ data: quotes, columns: deliveryQuoteColumns(context.serviceNow(), zone) });
  if (quotes.length > 0)
    return {
      ...answer,
      notes: [
        phrase`Next: ${invocation('deliveries create', [], { initiate: true, quote: 'ID' })} with the same addresses`,
      ],
    };
  throw new BadOutcome('No provider offers a quote.', {
    code: 'no_quotes',
    hint: 'Try another time, smaller items or a shorter distance.',
    ...(context.output.json ? { answer } : {}),
  });
}

/** Columns of quotes for one delivery. People see local times and the time left, counted from `now`. */
function deliveryQuoteColumns(now: number, zone: string | null): Column<DeliveryQuote>[] {
  return [
    { field: 'service', header: 'Provider', kind: 'text' },
    { field: 'fee', header: 'Fee', kind: 'money' },
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
      value: ({ expires }) => timeLeft(expires, now),
    },
    { field: 'dropoff_at', header: 'There at', kind: 'time', only: 'programs' },
    { field: 'expires', header: 'Expires', kind: 'time', only: 'programs' },
    { field: 'id', header: 'ID', kind: 'id' },
    { field: 'created', header: 'Created', kind: 'time', wide: true },
    { field: 'currency', header: 'Currency', kind: 'text', wide: true },
  ];
}

function timeLeft(expires: string | null, now: number): string {
  if (expires === null) return 'no limit';
  const left = Date.parse(expires) - now;
  return left <= 0 ? 'expired' : lengthText(left);
}
