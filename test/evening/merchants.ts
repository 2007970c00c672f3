import { setTimeout as pause } from 'node:timers/promises';
import type { OrderRequest } from '../../src/contract/orders.ts';
import type { Answer, Caller } from './caller.ts';

/** An account, and what it has sent. All of its references and recipients begin with its name. */
export interface Merchant {
  name: string;
  /** Its admin key. */
  key: string;
  caller: Caller;
  /** The references of the orders that were accepted. */
  sent: string[];
  /** Answers that no request should have got. */
  unexpected: string[];
}

/**
 * The last two digits of phone numbers, which select the scenarios: most deliveries are delivered, the others fail, are
 * canceled or are returned.
 */
const ordinary = ['00', '00', '00', '01', '02', '03', '05', '13', '33'];
const troubled = ['06', '07', '08', '09', '10', '16', '18', '19', '20', '21', '38'];
/** Scenarios in which auto dispatch tries an order again. */
const retried = ['17', '22', '24', '25', '18', '19', '38'];

const in_batch = 25;
const in_route = 3;

/** Orders that are sent in the same way: by number, `count` of them from `from`. */
type Work = { kind: 'batch' | 'delivery' | 'route'; from: number; count: number };

/** Sends a number of orders: six of ten by auto dispatch, three as deliveries, one in routes; several at a time. */
export async function sendOrders(
  merchant: Merchant,
  count: number,
  { concurrency, onSent }: { concurrency: number; onSent: (count: number) => void },
): Promise<void> {
  const works = worksOf(count);
  const run = async () => {
    for (let work = works.shift(); work !== undefined; work = works.shift()) {
      await sending[work.kind](merchant, work);
      onSent(work.count);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, run));
}

function worksOf(count: number): Work[] {
  const works: Work[] = [];
  const add = (kind: Work['kind'], to: number, size: number) => {
    for (let from = works.reduce((sum, each) => sum + each.count, 0); from < to; from += size)
      works.push({ kind, from, count: Math.min(size, to - from) });
  };
  add('batch', Math.round(count * 0.6), in_batch);
  add('delivery', Math.round(count * 0.9), 1);
  add('route', count, in_route);
  // Mixes them in a way that is the same in each run.
  return works.sort((one, other) => mixed(one.from) - mixed(other.from));
}

function mixed(number: number): number {
  return (number * 7_919) % 1_009;
}

const sending: Readonly<Record<Work['kind'], (merchant: Merchant, work: Work) => Promise<void>>> = {
  batch: sendBatch,
  delivery: sendDelivery,
  route: sendRoute,
};

async function sendBatch(merchant: Merchant, { from, count }: Work): Promise<void> {
  const settings = { mechanism: 'auto', retry_window: 90, retry_interval: 10 };
  const orders = ordersOf(merchant, { from, count, numbers: [...ordinary, ...ordinary, ...retried] });
  const key = `${merchant.name} batch ${from}`;
  const made = await merchant.caller.post('/v2/orders/create', { orders, settings }, key);
  if (isTaken(merchant, made, 'batch')) merchant.sent.push(...referencesOf(orders));
}

/** Sends one more batch whose orders are all delivered. */
export async function sendQuietly(merchant: Merchant): Promise<void> {
  const orders = ordersOf(merchant, { from: 1_000_000, count: in_batch, numbers: ['00'] });
  const body = { orders, settings: { mechanism: 'auto' } };
  const made = await merchant.caller.post('/v2/orders/create', body, `${merchant.name} quiet`);
  if (made.status !== 202) throw new Error(JSON.stringify(made));
}

/** Sends a delivery, and tries to cancel one in fifteen; the courier may refuse that. */
async function sendDelivery(merchant: Merchant, { from }: Work): Promise<void> {
  const [order] = ordersOf(merchant, { from, count: 1, numbers: [...ordinary, ...ordinary, ...troubled] });
  const body = { ...order, initiate: true };
  const made = await merchant.caller.post(
    '/v1/delivery_information',
    body,
    `${merchant.name} delivery ${from}`,
  );
  if (!isTaken(merchant, made, 'delivery')) return;
  merchant.sent.push(String(order?.external_order_ref));
  if (from % 15 !== 0) return;
  const path = `/v1/delivery/${made.body.id}/cancel`;
  const canceled = await merchant.caller.post(path, {}, `${merchant.name} cancel ${from}`);
  if (!JSON.stringify(canceled.body).includes('delivery_not_cancelable'))
    isTaken(merchant, canceled, 'cancel');
}

async function sendRoute(merchant: Merchant, { from, count }: Work): Promise<void> {
  const { name, caller } = merchant;
  const orders = ordersOf(merchant, { from, count, numbers: ordinary });
  const order_ids: string[] = [];
  for (const order of orders) {
    const key = `${name} order ${order.external_order_ref}`;
    const made = await caller.post('/v2/orders/create', { orders: [order] }, key);
    if (isTaken(merchant, made, 'order')) order_ids.push(String(made.body.id));
  }
  merchant.sent.push(...referencesOf(orders));
  const route = await caller.post('/v2/routes', { order_ids }, `${name} route ${from}`);
  if (!isTaken(merchant, route, 'route')) return;
  await dispatchRoute(merchant, String(route.body.id));
}

/**
 * How often quotes are requested. The clock runs 60 times as fast: until a service that has fallen behind catches up,
 * its quotes have already expired.
 */
const max_rounds = 500;

/** Dispatches a route to its cheapest quote, with new quotes where they have expired in the meantime. */
async function dispatchRoute(merchant: Merchant, route_id: string): Promise<void> {
  const { caller } = merchant;
  const path = `/v2/routes/${route_id}`;
  const answers: string[] = [];
  for (let round = 0; round < max_rounds; round += 1) {
    await caller.post(`${path}/quotes`, {}, `${route_id} quotes ${round}`);
    const quote_id = await cheapestQuote(caller, path);
    if (quote_id === null) {
      answers.push(JSON.stringify((await caller.get(`${path}/quotes`)).body));
      continue;
    }
    const dispatched = await caller.post(`${path}/dispatch`, { quote_id }, `${route_id} dispatch ${round}`);
    answers.push(JSON.stringify(dispatched.body));
    if (answers.at(-1)?.includes('quote_expired') === true) continue;
    isTaken(merchant, dispatched, 'dispatch');
    return;
  }
  merchant.unexpected.push(`route ${route_id} has no quote that lasts: ${answers.at(-1)}`);
}

async function cheapestQuote(caller: Caller, path: string): Promise<string | null> {
  for (let polls = 0; polls < 600; polls += 1) {
    const { body } = await caller.get(`${path}/quotes`);
    if (body.status === 'COMPLETE' && Array.isArray(body.data)) {
      const quotes: { id: string; cost_of_delivery: number; service_fee: number }[] = body.data;
      const price = (quote: (typeof quotes)[number]) => quote.cost_of_delivery + quote.service_fee;
      return quotes.sort((one, other) => price(one) - price(other))[0]?.id ?? null;
    }
    await pause(200);
  }
  return null;
}

function isTaken({ unexpected }: Merchant, { status, body }: Answer, what: string): boolean {
  if (status === 200 || status === 202) return true;
  unexpected.push(`${what}: ${status} ${JSON.stringify(body)}`);
  return false;
}

function ordersOf(
  { name }: Merchant,
  { from, count, numbers }: { from: number; count: number; numbers: readonly string[] },
): OrderRequest[] {
  const zips = ['60606', '60614', '60657', '60611'];
  return Array.from({ length: count }, (_, index) => from + index).map((number) => ({
    pickup_address: '43 E Ohio St, Chicago, IL 60611',
    pickup_name: `${name}-kitchen`,
    pickup_phone_number: '+13125550199',
    dropoff_address: `${100 + (number % 700)} S Wacker Dr, Chicago, IL ${zips[number % zips.length]}`,
    dropoff_name: `${name}-guest ${number}`,
    dropoff_phone_number: `+131255501${numbers[mixed(number) % numbers.length]}`,
    items: [{ name: 'Brisket Classic', quantity: 1 + (number % 4), size: 'small' as const }],
    external_order_ref: `${name}-${number}`,
    ...(number % 3 === 0 ? { tip: 300 } : {}),
  }));
}

function referencesOf(orders: readonly OrderRequest[]): string[] {
  return orders.map(({ external_order_ref }) => String(external_order_ref));
}
