/**
 * Writes the intent of a dispatch: its deliveries, the payment, and the task that calls the provider. The request inserts
 * that task with a claim of this process and executes it after the commit (`commit-intent.ts`) with the records that it
 * has: neither the task nor the records are read again. If this process ends in between, another one takes the task over,
 * as it does with each task that was claimed, and loads them (`load-intent.ts`).
 */
import { paymentOf } from '../../domain/charges.ts';
import { deliveryFailure, type Failure, failureMessages } from '../../domain/delivery-states.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { scenarioScript } from '../../domain/scenarios.ts';
import type { DeliveryRow, DispatchRow, OrderRow, QuoteRow, RouteRow } from '../../storage/database.ts';
import { deliveriesOfOrder } from '../../storage/deliveries.ts';
import { markQuoteUsed } from '../../storage/quotes.ts';
import { insertDispatch } from '../../storage/routes.ts';
import { applyTransition, charge, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { insertNewDelivery, pricingOf, type Share, sharesOf } from '../deliveries/write-delivery.ts';
import type { CallBase } from '../http/handler.ts';
import { orderRecord } from '../orders/order.ts';
import { quoteRecord, quoteUsed } from '../quotes/quote.ts';
import { agreedTime, readScenario } from '../quotes/quote-request.ts';
import { routeStops } from '../routes/route.ts';
import { findOutage } from '../runtime/account-settings.ts';
import { newTask } from '../runtime/task-kinds.ts';
import { laneOfProvider } from '../tasks/lanes.ts';
import { dispatchTaskId, type IntentTask, intentOf } from './load-intent.ts';

/** A route to dispatch, no longer a draft, with a valid quote. */
interface NewIntent {
  call: CallBase;
  route: RouteRow;
  quote: QuoteRow;
  /** In the route's order. */
  orders: readonly OrderRow[];
  /** For the whole route, in cents. */
  tip?: number | undefined;
  /** See `NewDelivery`. */
  max_cost?: number | undefined;
  /** See `CreateRequest`. */
  driver_id?: string | undefined;
  /** See `NewDelivery`. */
  token: string;
  /** Stored deliveries of these orders. */
  stored?: readonly DeliveryRow[];
}

interface WrittenIntent {
  deliveries: DeliveryRow[];
  /** The task that calls the provider, for the caller to insert; null if the payment was declined. */
  task: IntentTask | null;
}

/**
 * Writes everything that follows from a dispatch except the provider's response, in one transaction: a delivery for
 * each order, the intent and the payment; the caller inserts the task that calls the provider. A declined payment fails
 * the deliveries, and nothing is sent. All dispatches use this function.
 */
export async function writeIntent(context: TransitionContext, intent: NewIntent): Promise<WrittenIntent> {
  const { call, orders, quote } = intent;
  const { pickup_at, dropoff_at } = agreedTime(orders.map(orderRecord), context.now);
  // One driver carries the whole route: a time scheduled for one order applies to all.
  const status = pickup_at === null && dropoff_at === null ? 'delivery_created' : 'scheduled';
  const isDeclined = await declinesPayment(context, intent);
  const shares = sharesOf(quote, {
    orders,
    stops: routeStops(intent.route),
    tip: intent.tip,
    passed_ms: status === 'scheduled' ? 0 : etaShift(context.now, intent),
    delay_ms: status === 'scheduled' ? 0 : simulatedDelay(intent),
    now: context.now,
  });
  const deliveries: DeliveryRow[] = [];
  for (const [index, order] of orders.entries()) {
    const share = shares[index];
    if (share !== undefined) deliveries.push(await writeDelivery(context, intent, { order, share, status }));
  }
  const dispatch = newDispatch(intent, isDeclined);
  await insertDispatch(context.db, dispatch);
  if (isDeclined) {
    return {
      deliveries: await failDeliveries(context, deliveries, deliveryFailure('payment_declined')),
      task: null,
    };
  }
  for (const row of deliveries) {
    const { payment_amount, tip } = deliveryRecord(row);
    await charge(context, row, paymentOf(payment_amount, tip), []);
  }
  call.service.crash('charge.before_commit');
  const task = newDispatchTask(call, intent, dispatch);
  const { settings } = call.caller;
  const records = { dispatch, route: intent.route, orders, now: task.due_at, settings, deliveries, quote };
  // The engine assigns the sequence.
  const row = { ...task, sequence: 0, claim: 0, claimed_until: null, attempts: 0 };
  return { deliveries, task: { row, loaded: intentOf(context.providers, records) } };
}

/** How far the times of the quote have shifted: since the quote, or since a missed scheduled time. */
function etaShift(now: number, intent: NewIntent): number {
  const { quote, orders } = intent;
  const keptTime = orders.map(orderRecord).some(({ pickup, dropoff }) => {
    return Math.max(pickup.at ?? 0, dropoff.at ?? 0) > quote.created_at;
  });
  return keptTime ? Math.max(0, now - quoteRecord(quote).pickup_eta) : now - quote.created_at;
}

/** The delay of a provider that is slow on purpose, in milliseconds. */
function simulatedDelay({ call, quote }: NewIntent): number {
  const outage = findOutage(call.caller.settings, quote.provider, call.now);
  return outage?.state === 'slow' ? (outage.slow_seconds ?? 0) * 1000 : 0;
}

interface DeliveryParts {
  order: OrderRow;
  share: Share;
  status: 'delivery_created' | 'scheduled';
}

async function writeDelivery(
  context: TransitionContext,
  intent: NewIntent,
  written: DeliveryParts,
): Promise<DeliveryRow> {
  const { call, route, token, max_cost, stored = [] } = intent;
  const { order, share, status } = written;
  const { settings } = call.caller;
  const waiting = stored.find(({ order_id }) => order_id === order.id);
  if (waiting === undefined) {
    const made = { order, share, status, route_id: route.id, max_cost, token, settings };
    return insertNewDelivery(context, call.id, made);
  }
  const delivery_type = status === 'scheduled' ? 'scheduled' : 'asap';
  return applyTransition(context, waiting, status, {
    record: {
      ...pricingOf(share, orderRecord(order), settings),
      ...withoutAbsent({ max_cost }),
      delivery_type,
    },
    columns: {
      route_id: route.id,
      service: share.service,
      promised_at: waiting.promised_at ?? share.promised_at,
    },
  });
}

/** Whether the account's payment method, or the scenario of the route's first order, declines the payment. */
async function declinesPayment({ db }: TransitionContext, { call, orders }: NewIntent): Promise<boolean> {
  if (call.caller.settings.payment_method.status === 'declining') return true;
  const [first] = orders;
  if (first === undefined) return false;
  const { payment } = scenarioScript(readScenario([orderRecord(first)]));
  if (payment !== 'declined_once') return payment === 'declined';
  const earlier = await deliveriesOfOrder(db, first.id);
  return earlier.every(({ status }) => status === 'request');
}

function newDispatch({ call, route, quote }: NewIntent, isDeclined: boolean): DispatchRow {
  const id = call.id('dsp');
  return {
    id,
    account_id: route.account_id,
    route_id: route.id,
    quote_id: quote.id,
    provider: quote.provider,
    provider_key: id,
    request_key: call.request_key,
    state: isDeclined ? 'refused' : 'asking',
    reason: isDeclined ? failureMessages.payment_declined : null,
    unsettled: null,
    created_at: call.now,
    updated_at: call.now,
  };
}

function newDispatchTask(call: CallBase, intent: NewIntent, dispatch: DispatchRow) {
  const { provider } = dispatch;
  const task = {
    id: dispatchTaskId(call),
    ...call.caller.scope,
    lane: laneOfProvider(call.service, provider),
    subject: intent.route.id,
    due_at: call.now + simulatedDelay(intent),
  };
  return newTask('dispatch.ask', task, { dispatch_id: dispatch.id, provider, driver_id: intent.driver_id });
}

/**
 * Marks the quote that a request names as used, in its transaction: of several requests with one quote one dispatches.
 * The quotes of auto dispatch and of retries belong to their orders, which are locked. Throws `quote_used`.
 */
export async function useQuote({ db, now }: TransitionContext, { id }: QuoteRow): Promise<void> {
  if (!(await markQuoteUsed(db, { id, now }))) throw quoteUsed(id);
}

/** Fails the deliveries of a route without a provider. */
export async function failDeliveries(
  context: TransitionContext,
  deliveries: readonly DeliveryRow[],
  failure: Failure,
): Promise<DeliveryRow[]> {
  const failed: DeliveryRow[] = [];
  for (const row of deliveries)
    failed.push(await applyTransition(context, row, 'failed', { record: failure }));
  return failed;
}
