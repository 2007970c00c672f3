import type { Delivery } from '../contract/deliveries.ts';
import type { WireResponse } from '../contract/operation.ts';
import type { Page } from '../contract/schema.ts';
import { deliveryStatuses } from '../contract/vocabulary.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import type { Answer } from './answers.ts';
import { parsed } from './incomplete-responses.ts';
import { statusAsInContract } from './platform-records.ts';
import type { CallInput } from './retries.ts';

/** The calls that find deliveries. */
export interface DeliveryCalls {
  get(input: { params: { deliveryid: string } }): Promise<Answer<Delivery>>;
  list(): Promise<Answer<Page<Delivery>>>;
}

interface Dispatch {
  input: CallInput;
  response: WireResponse;
}

/** The deliveries may only be listed some time after the dispatch. */
const attempts = 4;
const pause_ms = 500;

/**
 * Adds the deliveries to a dispatch response without them: the one that it is, else listed ones with its quote or
 * route. Empty if nothing is found: the dispatch has succeeded anyway.
 */
export async function withDeliveries(
  answer: Answer<unknown>,
  dispatch: Dispatch,
  { deliveries, sleep }: { deliveries: DeliveryCalls; sleep(ms: number): Promise<void> },
): Promise<Answer<unknown>> {
  const { data } = answer;
  if (!isFields(data)) return answer;
  const given = Object.hasOwn(data, 'deliveries') ? data.deliveries : null;
  if (Array.isArray(given) && given.every(isWhole)) return answer;
  const found = await deliveriesOf(dispatch, deliveries, sleep).catch(() => []);
  const whole = Object.assign(Object.create(Object.getPrototypeOf(data)), data, { deliveries: found });
  return { ...answer, data: whole };
}

async function deliveriesOf(
  { input: { params = {}, body: sent }, response }: Dispatch,
  deliveries: DeliveryCalls,
  sleep: (ms: number) => Promise<void>,
): Promise<Delivery[]> {
  const { route_id } = params;
  const quote_id = isFields(sent) ? sent.quote_id : undefined;
  const found: Delivery[] = [];
  for (const deliveryid of idsIn(parsed(response.body)))
    found.push((await deliveries.get({ params: { deliveryid } })).data);
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
