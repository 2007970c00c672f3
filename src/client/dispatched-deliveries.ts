import type { Delivery } from '../contract/deliveries.ts';
import type { DispatchedRoute } from '../contract/routes.ts';
import type { Page } from '../contract/schema.ts';
import { deliveryStatuses } from '../contract/vocabulary.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import type { Answer } from './answers.ts';
import { statusAsInContract } from './platform-records.ts';

/** The calls that find deliveries. */
export interface DeliveryCalls {
  get(input: { params: { deliveryid: string } }): Promise<Answer<Delivery>>;
  list(): Promise<Answer<Page<Delivery>>>;
}

interface Sent {
  route_id: string;
  quote_id: string;
  /** The response as received. */
  body: unknown;
}

/** The deliveries may only be listed some time after the dispatch. */
const attempts = 4;
const pause_ms = 500;

/**
 * Adds the deliveries to a dispatch response without them: the one that it is, else listed ones with its quote or
 * route. Empty if nothing is found: the dispatch has succeeded anyway.
 */
export async function withDeliveries(
  answer: Answer<DispatchedRoute>,
  sent: Sent,
  { deliveries, sleep }: { deliveries: DeliveryCalls; sleep(ms: number): Promise<void> },
): Promise<Answer<DispatchedRoute>> {
  if (Object.hasOwn(answer.data, 'deliveries') && answer.data.deliveries.every(isWhole)) return answer;
  const found = await deliveriesOf(sent, deliveries, sleep).catch(() => []);
  const data = Object.assign(Object.create(Object.getPrototypeOf(answer.data)), answer.data, {
    deliveries: found,
  });
  return { ...answer, data };
}

async function deliveriesOf(
  { route_id, quote_id, body }: Sent,
  deliveries: DeliveryCalls,
  sleep: (ms: number) => Promise<void>,
): Promise<Delivery[]> {
  const found: Delivery[] = [];
  for (const deliveryid of idsIn(body)) found.push((await deliveries.get({ params: { deliveryid } })).data);
  for (let attempt = 1; found.length === 0 && attempt <= attempts; attempt += 1) {
    if (attempt > 1) await sleep(pause_ms);
    const listed = (await deliveries.list()).data.data;
    found.push(...listed.filter((each) => each.quote_id === quote_id || each.route_id === route_id));
  }
  return found;
}

/** The ID of the delivery that the response to a dispatch is; empty for any other response. */
function idsIn(body: unknown): string[] {
  return isFields(body) && isDelivery(body) && body.id !== undefined ? [String(body.id)] : [];
}

function isDelivery({ dropoffs, status }: Fields): boolean {
  const read = typeof status === 'string' ? statusAsInContract(status) : '';
  return Array.isArray(dropoffs) || deliveryStatuses.some((each) => each === read && each !== 'failed');
}

function isWhole({ id, status }: Delivery): boolean {
  return id !== '' && status !== undefined && String(status) !== '';
}
