import type { Delivery } from '../contract/deliveries.ts';
import type { DispatchedRoute } from '../contract/dispatches.ts';
import type { Page } from '../contract/schema.ts';
import { deliveryStatuses } from '../contract/vocabulary.ts';
import type { Answer } from './answers.ts';
import { type Fields, isFields } from './lenient.ts';

/** The calls that find deliveries. */
export interface DeliveryCalls {
  get(input: { params: { deliveryid: string } }): Promise<Answer<Delivery>>;
  list(input: { query: { limit: number } }): Promise<Answer<Page<Delivery>>>;
}

interface Sent {
  route_id: string;
  quote_id: string;
  /** The answer as it came. */
  body: unknown;
  /** The ids of the deliveries listed before; null where they are not known. */
  before: ReadonlySet<string> | null;
}

/** The delivery may be listed only after the dispatch was answered. */
const attempts = 4;
const pause_ms = 500;
const latest = { query: { limit: 100 } } as const;

/** The ids of the latest deliveries; null where they cannot be listed. */
export async function listedIds(deliveries: DeliveryCalls): Promise<ReadonlySet<string> | null> {
  try {
    const { data } = await deliveries.list(latest);
    return new Set(data.data.map(({ id }) => id));
  } catch {
    return null;
  }
}

/**
 * The answer to a dispatch with its deliveries, where it does not have them itself: those that it names by their ids,
 * else those listed that have its quote or its route, else the only one that was not listed before. None where none is
 * found: the dispatch is done all the same.
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
  { route_id, quote_id, body, before }: Sent,
  deliveries: DeliveryCalls,
  sleep: (ms: number) => Promise<void>,
): Promise<Delivery[]> {
  const found: Delivery[] = [];
  for (const deliveryid of idsIn(body)) found.push((await deliveries.get({ params: { deliveryid } })).data);
  for (let attempt = 1; found.length === 0 && attempt <= attempts; attempt += 1) {
    if (attempt > 1) await sleep(pause_ms);
    const listed = (await deliveries.list(latest)).data.data;
    found.push(...listed.filter((each) => each.quote_id === quote_id || each.route_id === route_id));
    const [only, ...others] = before === null ? [] : listed.filter(({ id }) => !before.has(id));
    if (found.length === 0 && only !== undefined && others.length === 0) found.push(only);
  }
  return found;
}

/** The ids of deliveries in an answer: of its own records, or of those within it. */
function idsIn(body: unknown): string[] {
  const outer = listIn(body).filter(isFields);
  const values = [...outer, ...outer.flatMap((each) => Object.values(each).filter(isFields))].flatMap(
    (place) => [
      ...(isDelivery(place) ? [place] : []),
      ...Object.entries(place).flatMap(([name, value]) => (names.test(name) ? listIn(value) : [])),
    ],
  );
  const ids = values.map((value) => (isFields(value) ? value.id : value));
  return [...new Set(ids.filter((id) => typeof id === 'string' || typeof id === 'number').map(String))];
}

/** The names that services give to the deliveries of a dispatch, or to their ids. */
const names = /^(delivery|deliveries|delivery_?ids?)$/i;

function listIn(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function isDelivery({ dropoffs, status }: Fields): boolean {
  return Array.isArray(dropoffs) || deliveryStatuses.some((each) => each === status && each !== 'failed');
}

function isWhole({ id, status }: Delivery): boolean {
  return id !== '' && status !== undefined && String(status) !== '';
}
