/** Tools that quote and ship orders, within the limits on what they may spend. */
import * as z from 'zod';
import type { Order } from '../../contract/orders.ts';
import { type Fields, withoutAbsent } from '../../domain/fields.ts';
import { readOrderPhones } from '../../domain/phone-notes.ts';
import { addressRemarks } from '../nouns/address-checks.ts';
import { findStoreId } from '../nouns/find-by-name.ts';
import { findOrderId } from '../nouns/find-order.ts';
import { guardSentOnce } from '../nouns/order-checks.ts';
import { chargedPrice, declinedNotes, declinesIn } from '../nouns/quote.ts';
import type { Context } from '../session/command.ts';
import { defineTool, type OfferedTool, readsOnly, spends, toolError } from './define-tool.ts';
import { orderText, summarySchema } from './lookup-tools.ts';
import {
  allow_duplicate_ref,
  dispatchTerms,
  pickupStore,
  shipment,
  shipmentItems,
} from './shipment-schema.ts';
import {
  checkSpending,
  discardRoute,
  dispatchOrder,
  keepsKeys,
  refuseEqualRefs,
  type SpendingLimit,
  ship,
  withKeys,
} from './shipments.ts';

export function shippingTools(context: Context, limits: SpendingLimit): OfferedTool[] {
  const newBase = baseKeys(context);
  return [
    quoteTool(context),
    shipTool(context, limits, newBase),
    shipManyTool(context, limits, newBase),
    dispatchTool(context, limits, newBase),
  ];
}

const notes = z
  .array(z.string())
  .describe(
    'How an address or phone number was read, if not as given, and who does not quote. Tell the user',
  );

async function remarksOn(context: Context, fields: Fields): Promise<string[]> {
  return [...(await addressRemarks(context, fields)), ...readOrderPhones(fields).moved];
}

function quoteTool(context: Context): OfferedTool {
  return defineTool({
    name: 'quote_delivery',
    title: 'Quote a delivery',
    description: 'The price of each provider for a delivery, cheapest first. Nothing is ordered.',
    input: shipment
      .pick({
        pickup_address: true,
        pickup_latitude: true,
        pickup_longitude: true,
        dropoff_address: true,
        dropoff_latitude: true,
        dropoff_longitude: true,
        pickup_at: true,
        dropoff_at: true,
      })
      .extend({ pickup_store: pickupStore, items: shipmentItems.optional() }),
    output: z.object({
      quotes: z.array(
        z.object({
          provider: z.string(),
          price: z.number().int().describe('In cents'),
          dropoff_at: z.string(),
          too_late: z.boolean().describe('It cannot keep the agreed time'),
          expires_at: z.string().nullable(),
        }),
      ),
      notes,
    }),
    annotations: readsOnly,
    run: async ({ items: listed, pickup_store, ...given }) => {
      const pickup_store_id = pickup_store && (await findStoreId(context, pickup_store));
      const stops = withoutAbsent({ ...given, pickup_store_id });
      const body = withoutAbsent({ ...stops, items: listed });
      const { data, remarks } = await (await context.client()).deliveries.quote({ body });
      const declined = declinedNotes({ reasons: declinesIn(remarks) });
      const quotes = data.map((quote) => {
        const { service: provider, dropoff_at, expires: expires_at, too_late = false } = quote;
        return { provider, price: chargedPrice(quote), dropoff_at, too_late, expires_at };
      });
      return {
        quotes,
        notes: [...(await remarksOn(context, stops)), ...declined],
      };
    },
  });
}

/** Returns the beginnings of idempotency keys, another one for each shipment. */
function baseKeys(context: Context): () => string {
  let count = 0;
  return () => {
    count += 1;
    return context.idempotencyKey(`mcp-${count}`);
  };
}

const shipped = { dispatched: z.boolean(), route_id: z.string(), delivery: summarySchema };

function shipTool(context: Context, limits: SpendingLimit, newBase: () => string): OfferedTool {
  return defineTool({
    name: 'ship_delivery',
    title: 'Ship a delivery',
    description:
      'Orders a delivery: requests quotes, selects one up to max_cost and dispatches it, which charges the price. An external_order_ref that an order or a delivery of the last 30 days has is refused, unless that was canceled or failed. With a live key it is real.',
    input: shipment,
    output: z.object({ ...shipped, notes }),
    annotations: spends,
    run: async (input, signal) => {
      checkSpending(limits, input.max_cost);
      const made = await ship(context, input, newBase(), signal);
      return { ...made, notes: await remarksOn(context, input) };
    },
  });
}

/** Shipments of one call that are under way at a time. */
const max_together = 5;

function shipManyTool(context: Context, limits: SpendingLimit, newBase: () => string): OfferedTool {
  return defineTool({
    name: 'ship_orders',
    title: 'Ship several deliveries',
    description:
      'The same for up to 30 deliveries, each with a max_cost of its own. One that is refused stops no other: its result has an error instead of a delivery. References must differ.',
    input: z.object({ shipments: z.array(shipment.strict()).min(1).max(30) }),
    output: z.object({
      shipped: z.number().int(),
      refused: z.number().int(),
      results: z.array(
        z.object({
          external_order_ref: z.string(),
          dispatched: z.boolean(),
          delivery: summarySchema.nullable(),
          error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
          notes,
        }),
      ),
    }),
    annotations: spends,
    run: async ({ shipments }, signal) => {
      for (const { max_cost } of shipments) checkSpending(limits, max_cost);
      await refuseEqualRefs(context, shipments);
      const results = await mapConcurrently(shipments, max_together, async (each) => {
        const external_order_ref = each.external_order_ref ?? '';
        try {
          const { dispatched, delivery } = await ship(context, each, newBase(), signal);
          const remarks = await remarksOn(context, each);
          return { external_order_ref, dispatched, delivery, error: null, notes: remarks };
        } catch (fault) {
          if (signal.aborted) throw fault;
          const error = toolError(context, Object.keys(shipment.shape), fault);
          return { external_order_ref, dispatched: false, delivery: null, error, notes: [] };
        }
      });
      const count = results.filter(({ dispatched }) => dispatched).length;
      return { shipped: count, refused: results.length - count, results };
    },
  });
}

/** The results of some work on each item, of which a few are worked on at a time. */
async function mapConcurrently<T, R>(
  items: readonly T[],
  at_once: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Map<number, R>();
  const left = [...items.entries()];
  const workOff = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      results.set(next[0], await work(next[1]));
  };
  await Promise.all(Array.from({ length: Math.min(at_once, items.length) }, workOff));
  return items.flatMap((_item, index) => results.get(index) ?? []);
}

/** Takes an order out of a draft route of its own, which an earlier call has left: it is dispatched in a new one. */
async function leaveDraft(context: Context, { route_id }: Order): Promise<void> {
  if (route_id === null) return;
  const { data } = await (await context.client()).routes.get({ params: { route_id } });
  if (data.status === 'draft' && data.order_ids.length === 1) await discardRoute(context, route_id);
}

function dispatchTool(context: Context, limits: SpendingLimit, newBase: () => string): OfferedTool {
  return defineTool({
    name: 'dispatch_order',
    title: 'Dispatch an order',
    description:
      'Dispatches an order that exists and that no courier has, such as one of list_problems: requests quotes, selects one up to max_cost, and charges its price.',
    input: z.object({ order: orderText, ...dispatchTerms.shape, allow_duplicate_ref }),
    output: z.object(shipped),
    annotations: spends,
    run: async ({ order, allow_duplicate_ref: allowDuplicateRef, ...terms }, signal) => {
      checkSpending(limits, terms.max_cost);
      const keyed = withKeys(context, newBase());
      const order_id = await findOrderId(keyed, order);
      const { data } = await (await keyed.client()).orders.get({ params: { order_id } });
      const check = { allowDuplicateRef, isOwnService: await keepsKeys(keyed) };
      const refusesDuplicateRef = await guardSentOnce(keyed, [data], check);
      await leaveDraft(keyed, data);
      const onRefusal = (route_id: string | null) => discardRoute(keyed, route_id);
      return dispatchOrder(
        keyed,
        order_id,
        { ...terms, tip: data.tip, refusesDuplicateRef },
        signal,
        onRefusal,
      );
    },
  });
}
