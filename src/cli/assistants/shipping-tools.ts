import * as z from 'zod';
import { type DeliveryStatus, deliveryStatuses, itemSizes } from '../../contract/vocabulary.ts';
import { readOrderPhones } from '../../domain/contact-phones.ts';
import type { Fields } from '../../domain/fields.ts';
import { checkPrice, chooseQuote } from '../flow/agreed-quote.ts';
import { type Dispatched, deliver } from '../flow/deliver.ts';
import { Failure } from '../kit/errors/failure.ts';
import { cancellationTerms } from '../nouns/delivery-steps.ts';
import { findDelivery } from '../nouns/find-delivery.ts';
import { createOrder } from '../nouns/order.ts';
import { guardRefs } from '../nouns/order-checks.ts';
import { defined } from '../nouns/order-flags.ts';
import { addressRemarks } from '../nouns/reading-remarks.ts';
import type { Context } from '../session/command.ts';
import {
  adds,
  defineTool,
  deliverySummary,
  deliveryText,
  knownCents,
  type OfferedTool,
  readsOnly,
  summaryOf,
} from './tools.ts';

/** The tools that quote, ship, cancel, and advance the sandbox. */
export function shippingTools(context: Context, limits: SpendingLimit): OfferedTool[] {
  return [quoteTool(context), shipTool(context, limits), ...cancelTools(context), advanceTool(context)];
}

/** The limit of what each shipment may cost. */
export interface SpendingLimit {
  /** In cents; null: what the assistant sets. */
  max_cost: number | null;
}

/** Refuses, before anything is sent, a `max_cost` above the limit of the service. */
export function checkSpending({ max_cost: most }: SpendingLimit, max_cost: number): void {
  if (most === null || max_cost <= most) return;
  const message = `max_cost is ${max_cost}, and this service allows an assistant at most ${most} cents a shipment.`;
  throw new Failure(6, 'above_max_cost', message, { param: 'max_cost', hint: 'Nothing was shipped.' });
}

const address = z.string().min(1).describe('One line: street, city, state, ZIP');

const phone = z
  .string()
  .min(1)
  .describe('As people write it, or in international format with a leading plus sign');

const items = z
  .array(
    z.strictObject({
      name: z.string().min(1),
      quantity: z.number().int().min(1).max(999).default(1),
      size: z.enum(itemSizes).default('small'),
    }),
  )
  .min(1)
  .max(50);

const time = z.string().min(1).optional();

const cents = z.number().int().min(0).max(99_999_999);

const degrees = z.number().optional();

const latitude = degrees.describe('Exact, if it is known; given together with the longitude');

const shipment = z.object({
  pickup_address: address,
  pickup_latitude: latitude,
  pickup_longitude: degrees,
  pickup_name: z.string().min(1),
  pickup_phone_number: phone,
  pickup_notes: z.string().optional(),
  pickup_at: time.describe('A later pickup, in ISO 8601; without any time it starts at once'),
  dropoff_address: address,
  dropoff_latitude: latitude,
  dropoff_longitude: degrees,
  dropoff_name: z.string().min(1),
  dropoff_phone_number: phone,
  dropoff_unit: z.string().optional(),
  dropoff_notes: z.string().optional(),
  dropoff_at: time.describe('A later arrival, in ISO 8601; not with pickup_at'),
  items,
  external_order_ref: z.string().optional().describe("The merchant's own reference"),
  tip: cents.optional().describe('For the driver, in cents'),
  max_cost: cents.describe(
    'The most that is charged for the delivery in cents, the tip included. Nothing is shipped above it',
  ),
  preference: z.enum(['cheapest', 'fastest']).default('cheapest'),
  late_ok: z
    .boolean()
    .default(false)
    .describe('Ship although no quote keeps dropoff_at or pickup_at. Set it only if the user agrees'),
  idempotency_key: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('A repeat with the same key finds the first shipment and ships nothing twice'),
  allow_duplicate_ref: z
    .boolean()
    .default(false)
    .describe(
      'Ship although this external_order_ref is in use. Set it only if the user wants a second delivery',
    ),
});

const notes = z
  .array(z.string())
  .describe('How an address or phone number was read, if not as given. Tell the user');

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
      .extend({ items: items.optional() }),
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
    run: async ({ items: listed, ...stops }) => {
      const body = defined({ ...stops, items: listed });
      const { data } = await (await context.client()).deliveries.quote({ body });
      const quotes = data.map(({ service, fee, dropoff_at, expires, too_late = false }) => {
        return { provider: service, price: fee, dropoff_at, too_late, expires_at: expires };
      });
      return { quotes, notes: await remarksOn(context, stops) };
    },
  });
}

function shipTool(context: Context, limits: SpendingLimit): OfferedTool {
  let count = 0;
  return defineTool({
    name: 'ship_delivery',
    title: 'Ship a delivery',
    description:
      'Orders a delivery: requests quotes, selects one up to max_cost and dispatches it, which charges the price. An external_order_ref that an order or a delivery of the last 30 days has is refused, unless that was canceled or failed. With a live key it is real.',
    input: shipment,
    output: z.object({ dispatched: z.boolean(), route_id: z.string(), delivery: deliverySummary, notes }),
    annotations: adds,
    run: async (input, signal) => {
      const { idempotency_key } = input;
      checkSpending(limits, input.max_cost);
      const isOwnService = await keepsKeys(context);
      if (!isOwnService && idempotency_key !== undefined) throw noKeysError();
      count += 1;
      const base = idempotency_key ?? context.idempotencyKey(`mcp-${count}`);
      // Each shipment has its own idempotency keys and sets no interruption text for the session.
      const own = {
        ...context,
        setInterruptionText: () => {},
        idempotencyKey: (part = 'order') => `${base}/${part}`,
      };
      const shipped = await ship(own, { ...input, isOwnService }, signal);
      return { ...shipped, notes: await remarksOn(context, input) };
    },
  });
}

/** Whether the service keeps idempotency keys, as waybill's own does; the session may not know it yet. */
async function keepsKeys(context: Context): Promise<boolean> {
  const { features } = await (await context.client()).learn({ isBrief: true });
  return features.idempotency !== false;
}

/** Exit 6, before anything is sent: the service would ship again. */
function noKeysError(): Failure {
  const message =
    'This service has no idempotency keys: idempotency_key cannot make it safe to repeat a shipment.';
  return new Failure(6, 'not_supported', message, { param: 'idempotency_key', hint: 'Nothing was shipped.' });
}

type Shipment = z.infer<typeof shipment> & { isOwnService: boolean };

async function ship(context: Context, { max_cost, preference, ...input }: Shipment, signal: AbortSignal) {
  const { idempotency_key, allow_duplicate_ref: allowDuplicateRef, isOwnService, late_ok, ...fields } = input;
  const request = defined(fields);
  const check = { allowDuplicateRef, isOwnService };
  const unique = await guardRefs(context, [request], check);
  const key = context.idempotencyKey();
  const order = await unique((unique_ref) => createOrder(context, request, key, unique_ref));
  let route_id: string | null = null;
  try {
    const steps = deliver(context, [order.id], {
      optimize: true,
      tip: null,
      timeout_ms: 120_000,
      interval_ms: undefined,
      interruptionText: () => '',
      choose: async (id, quotes) => {
        const quote = chooseQuote(id, quotes, { preference, lateOk: late_ok }, context.serviceNow());
        await checkPrice(context, quote, { quotes, maxCost: max_cost, tip: request.tip });
        // The assistant no longer waits: it would not learn of the delivery, and call again for another one.
        signal.throwIfAborted();
        return quote;
      },
    });
    for await (const progress of steps) {
      if (progress.step === 'route') route_id = progress.route.id;
      if (progress.step === 'dispatch') return shippedRoute(progress.outcome);
      if (progress.step === 'earlier') return shippedRoute(progress.earlier);
    }
    throw new Error('the shipment ended without a dispatch');
  } catch (error) {
    // With a key, a repeat continues with the same order. A service may lack these operations; the refusal is the
    // answer all the same.
    if (idempotency_key === undefined && (isRefusedQuote(error) || signal.aborted))
      await withdraw(context, order.id, route_id).catch(() => {});
    throw error;
  }
}

function shippedRoute({ route }: Pick<Dispatched, 'route'>) {
  const [delivery] = route.deliveries;
  if (delivery === undefined) throw new Error(`route ${route.id} has no delivery`);
  return { dispatched: delivery.status !== 'failed', route_id: route.id, delivery: summaryOf(delivery) };
}

/** True if nothing was dispatched because no quote was acceptable. */
function isRefusedQuote(error: unknown): boolean {
  return error instanceof Failure && ['above_max_cost', 'no_quotes', 'too_late'].includes(error.code);
}

/** Cancels the order and the route, so that an assistant has nothing to clean up. */
async function withdraw(context: Context, order_id: string, route_id: string | null): Promise<void> {
  const client = await context.client();
  if (route_id !== null) await client.routes.delete({ params: { route_id } });
  await client.orders.cancel({ params: { order_id } });
}

const cancellation = z.object({
  delivery_id: z.string(),
  cancelable: z.boolean(),
  fee: z
    .number()
    .int()
    .nullable()
    .describe('In cents; null if it is not known before, and may be more than nothing'),
  refund: z.number().int().describe('The refund in cents'),
  reason: z.string().describe('Why it cannot be canceled, or why its fee is not known; otherwise empty'),
});

function cancelTools(context: Context): OfferedTool[] {
  return [
    defineTool({
      name: 'preview_cancellation',
      title: 'Price of a cancellation',
      description: 'Whether a delivery can be canceled now, the fee, and the refund. Cancels nothing.',
      input: z.object({ delivery: deliveryText }),
      output: cancellation,
      annotations: readsOnly,
      run: async ({ delivery }) => {
        const { id: deliveryid } = await findDelivery(context, delivery);
        const terms = await cancellationTerms(context, deliveryid);
        const { delivery_id, cancelable, fee, fee_unknown, refund, reason } = terms;
        return { delivery_id, cancelable, fee: fee_unknown === true ? null : fee, refund, reason };
      },
    }),
    defineTool({
      name: 'cancel_delivery',
      title: 'Cancel a delivery',
      description:
        'Cancels a delivery for good. `agreed_fee` is the fee of preview_cancellation that the user agreed to: if it is another one now, nothing is canceled. The `fee` of the answer is null if it is not known.',
      input: z.object({
        delivery: deliveryText,
        agreed_fee: cents
          .nullable()
          .describe(
            'The fee that preview_cancellation gave, in cents; null if the user agreed to a fee that is not known',
          ),
        reason: z.string().max(500).optional(),
      }),
      output: z.object({
        fee: z.number().int().nullable(),
        refunded: z.number().int().nullable(),
        delivery: deliverySummary,
      }),
      annotations: { ...adds, destructiveHint: true },
      run: (input) => cancelDelivery(context, input),
    }),
  ];
}

interface Cancel {
  delivery: string;
  /** Null: a fee that is not known is agreed to. */
  agreed_fee: number | null;
  reason?: string | undefined;
}

async function cancelDelivery(context: Context, { delivery: text, agreed_fee, reason }: Cancel) {
  const client = await context.client();
  const params = { deliveryid: (await findDelivery(context, text)).id };
  const terms = await cancellationTerms(context, params.deliveryid);
  const isUnknown = terms.fee_unknown === true;
  const fee = isUnknown ? null : terms.fee;
  if (terms.cancelable && fee !== agreed_fee) {
    const why = terms.reason === '' ? 'the courier does not say it before' : terms.reason;
    const message = isUnknown
      ? `The fee for canceling ${params.deliveryid} is not known: ${why}.`
      : `Canceling ${params.deliveryid} costs ${terms.fee} cents, not the agreed_fee ${agreed_fee}.`;
    throw new Failure(6, 'fee_not_agreed', message, {
      hint: `Nothing was changed. If the user agrees, repeat it with agreed_fee ${fee}.`,
    });
  }
  const { data } = await client.deliveries.cancel({ params, body: defined({ reason }) });
  return {
    fee,
    refunded: knownCents(data.refunded_amount),
    delivery: summaryOf(data),
  };
}

function advanceTool(context: Context): OfferedTool {
  return defineTool({
    name: 'advance_sandbox',
    title: 'Advance the sandbox',
    description:
      'Moves the clock of test mode forward, by seconds or until a delivery has a status. Simulated couriers continue accordingly. Only in a sandbox.',
    input: z.object({
      by_seconds: z.number().int().min(1).max(31_536_000).optional(),
      until: z.strictObject({ delivery: deliveryText, status: z.enum(deliveryStatuses) }).optional(),
    }),
    output: z.object({ now: z.string(), steps: z.number().int(), delivery: deliverySummary.nullable() }),
    annotations: { ...adds, openWorldHint: false },
    needs: 'sandbox',
    run: async ({ by_seconds, until }) => advanceClock(context, by_seconds, until),
  });
}

async function advanceClock(
  context: Context,
  by: number | undefined,
  until: { delivery: string; status: DeliveryStatus } | undefined,
) {
  if ((by === undefined) === (until === undefined)) {
    throw new Failure(2, 'usage', 'Give either by_seconds or until.');
  }
  const client = await context.client();
  const found = until === undefined ? null : await findDelivery(context, until.delivery);
  const target = found && until && { delivery_id: found.id, status: until.status };
  const body = defined({ by, until: target ?? undefined });
  const { data } = await client.clock.advance({ body });
  const delivery = found && (await client.deliveries.get({ params: { deliveryid: found.id } })).data;
  return { now: data.now, steps: data.steps, delivery: delivery && summaryOf(delivery) };
}
