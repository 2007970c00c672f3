/** Finds the deliveries of a dispatch whose response has none. */
import type { Delivery } from '../contract/deliveries.ts';
import type { WireResponse } from '../contract/operation.ts';
import type { Page } from '../contract/schema.ts';
import { deliveryStatuses } from '../contract/vocabulary.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import type { Answer } from './answers.ts';
import { parseJson } from './incomplete-responses.ts';
import { statusAsInContract } from './platform-records.ts';
import type { CallInput } from './retries.ts';

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
  const answered = parseJson(response.body);
  if (isDelivery(answered)) {
    const { data } = await deliveries.get({ params: { deliveryid: String(answered.id) } });
    return [data];
  }
  const { route_id } = params;
  const quote_id = isFields(sent) ? sent.quote_id : undefined;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if (attempt > 1) await sleep(pause_ms);
    const { data } = (await deliveries.list()).data;
    const found = data.filter((each) => each.quote_id === quote_id || each.route_id === route_id);
    if (found.length > 0) return found;
  }
  return [];
}

/** True if the response to a dispatch is the delivery. */
function isDelivery(body: unknown): body is Fields {
  if (!isFields(body) || body.id === undefined) return false;
  const { dropoffs, status } = body;
  const read = typeof status === 'string' ? statusAsInContract(status) : '';
  return Array.isArray(dropoffs) || deliveryStatuses.some((each) => each === read && each !== 'failed');
}

function isWhole({ id, status }: Delivery): boolean {
  return id !== '' && status !== undefined && String(status) !== '';
}
