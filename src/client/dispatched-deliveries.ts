/** Finds the deliveries of a dispatch whose response has none: it may be the delivery itself, or their list has them. */
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

/** The list is read several times, as it may have the deliveries only some time after the dispatch. */
const max_list_reads = 4;
const pause_ms = 500;

/** Adds the deliveries to a dispatch answer without them; none if none is found, as the dispatch has succeeded. */
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
  // The prototype has the fields that read as empty.
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
  for (let reads = 0; reads < max_list_reads; reads += 1) {
    if (reads > 0) await sleep(pause_ms);
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
  const known = typeof status === 'string' ? statusAsInContract(status) : '';
  // A record with the status failed need not be a delivery.
  return Array.isArray(dropoffs) || deliveryStatuses.some((each) => each === known && each !== 'failed');
}

/** Whether a delivery of the answer has its own ID and status, and does not only read as empty. */
function isWhole({ id, status }: Delivery): boolean {
  return id !== '' && status !== undefined && String(status) !== '';
}
