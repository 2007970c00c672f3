/**
 * A shipment as an assistant describes it (`shipment-schema.ts`), and how it becomes a delivery for at most `max_cost`: `ship`
 * creates its order, and `dispatchOrder` dispatches that with the cheapest or the fastest quote. A refusal that dispatched
 * nothing leaves nothing behind.
 */
import type * as z from 'zod';
import { isRefusal } from '../../client/errors.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { chooseQuote } from '../flow/agreed-quote.ts';
import { deliver } from '../flow/deliver.ts';
import type { Dispatched } from '../flow/dispatch-outcome.ts';
import { checkPrice } from '../flow/price-limits.ts';
import { Failure } from '../kit/errors/failure.ts';
import { findStoreId } from '../nouns/find-by-name.ts';
import { createOrder } from '../nouns/order.ts';
import { guardRefs } from '../nouns/order-checks.ts';
import type { Context } from '../session/command.ts';
import { summarizeDelivery } from './lookup-tools.ts';
import type { dispatchTerms, Shipment } from './shipment-schema.ts';

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

/** Whether the service keeps idempotency keys, as waybill's own does; the session may not know it yet. */
export async function keepsKeys(context: Context): Promise<boolean> {
  const { features } = await (await context.client()).learn({ isBrief: true });
  return features.idempotency !== false;
}

/** Exit 6, before anything is sent: the service would ship again. */
function noKeysError(): Failure {
  const message =
    'This service has no idempotency keys: idempotency_key cannot make it safe to repeat a shipment.';
  return new Failure(6, 'not_supported', message, { param: 'idempotency_key', hint: 'Nothing was shipped.' });
}

/**
 * Creates the order of a shipment and dispatches it, once under its key. `base` is the beginning of its idempotency
 * keys where it has none of its own.
 */
export async function ship(context: Context, input: Shipment, base: string, signal: AbortSignal) {
  const { idempotency_key, allow_duplicate_ref: allowDuplicateRef, pickup_store, ...rest } = input;
  const { max_cost, preference, late_ok, ...fields } = rest;
  const hasKeys = await keepsKeys(context);
  if (!hasKeys && idempotency_key !== undefined) throw noKeysError();
  const keyed = withKeys(context, idempotency_key ?? base);
  const pickup_store_id = pickup_store && (await findStoreId(keyed, pickup_store));
  const request = withoutAbsent({ ...fields, pickup_store_id });
  // Only waybill's own service keeps keys.
  const unique = await guardRefs(keyed, [request], { allowDuplicateRef, isOwnService: hasKeys });
  const key = keyed.idempotencyKey();
  const order = await unique((unique_ref) => createOrder(keyed, request, key, unique_ref));
  const terms = { max_cost, preference, late_ok, tip: fields.tip };
  // With a key, a repeat continues with the same order.
  const onRefusal = (route_id: string | null) =>
    idempotency_key === undefined ? withdraw(keyed, order.id, route_id) : undefined;
  return dispatchOrder(keyed, order.id, terms, signal, onRefusal);
}

/** Each shipment has its own idempotency keys and sets no interruption text for the session. */
export function withKeys(context: Context, base: string): Context {
  return {
    ...context,
    setInterruptionText: () => {},
    idempotencyKey: (part = 'order') => `${base}/${part}`,
  };
}

/** Refuses references that are given twice in one call, before anything is created. */
export async function refuseEqualRefs(context: Context, shipments: readonly Shipment[]): Promise<void> {
  const once = shipments.filter((each) => !each.allow_duplicate_ref);
  await guardRefs(context, once, { allowDuplicateRef: false, isOwnService: true });
}

interface Terms extends z.infer<typeof dispatchTerms> {
  tip: number | undefined;
  /** Whether the service refuses the route if a later order has the reference. */
  refusesDuplicateRef?: boolean;
}

/** Dispatches an order within its maximum; `onRefusal` cleans up after a refusal that dispatched nothing. */
export async function dispatchOrder(
  context: Context,
  order_id: string,
  { max_cost, preference, late_ok: lateOk, tip, refusesDuplicateRef = false }: Terms,
  signal: AbortSignal,
  onRefusal: (route_id: string | null) => Promise<void> | undefined = async () => {},
) {
  let route_id: string | null = null;
  try {
    const steps = deliver(context, [order_id], {
      optimize: true,
      tip: null,
      refusesDuplicateRef,
      timeout_ms: 120_000,
      interval_ms: undefined,
      interruptionText: () => '',
      choose: async (id, quotes) => {
        const quote = chooseQuote(id, quotes, { preference, lateOk }, context.serviceNow());
        const limit = await checkPrice(context, quote, { maxCost: max_cost, tip });
        // The assistant no longer waits: it would not learn of the delivery, and call again for another one.
        signal.throwIfAborted();
        return { quote, max_cost: limit };
      },
    });
    for await (const progress of steps) {
      if (progress.step === 'route') route_id = progress.route.id;
      if (progress.step === 'dispatch') return shippedRoute(context, progress.outcome);
      if (progress.step === 'earlier') return shippedRoute(context, progress.earlier);
    }
    throw new Error('the shipment ended without a dispatch');
  } catch (error) {
    // A service may lack these operations; the refusal is the answer all the same.
    if (isRefused(error) || signal.aborted) await onRefusal(route_id)?.catch(() => {});
    throw error;
  }
}

function shippedRoute(context: Context, { route }: Pick<Dispatched, 'route'>) {
  const [delivery] = route.deliveries;
  if (delivery === undefined) throw new Error(`route ${route.id} has no delivery`);
  return {
    dispatched: delivery.status !== 'failed',
    route_id: route.id,
    delivery: summarizeDelivery(context, delivery),
  };
}

/** True if nothing was dispatched because no quote was acceptable, or because the service refused a step. */
function isRefused(error: unknown): boolean {
  const codes = ['above_max_cost', 'no_quotes', 'quote_expired', 'quotes_not_ready', 'too_late'];
  return isRefusal(error) || (error instanceof Failure && codes.includes(error.code));
}

/** Deletes a draft route, so that its order is open again. */
export async function discardRoute(context: Context, route_id: string | null): Promise<void> {
  if (route_id !== null) await (await context.client()).routes.delete({ params: { route_id } });
}

/** Cancels the order and the route, so that an assistant has nothing to clean up. */
async function withdraw(context: Context, order_id: string, route_id: string | null): Promise<void> {
  await discardRoute(context, route_id);
  const client = await context.client();
  await client.orders.cancel({ params: { order_id } });
}
