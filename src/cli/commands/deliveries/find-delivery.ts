import { ApiError, Unsupported } from '../../../client/errors.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import { Failure, UsageError } from '../../kit/errors/failure.ts';
import { alignedRows } from '../../kit/output/rows.ts';
import { oneLine } from '../../kit/output/sanitize.ts';
import { localTime, styledTime } from '../../kit/output/times.ts';
import type { Invocation } from '../../kit/result/invocation.ts';
import { invocation } from '../../kit/result/invocation.ts';
import type { Context } from '../../session/context.ts';
import { isPhone, phonesLike } from './phones.ts';

/** The part of the context that a search uses. */
interface Asking extends Pick<Context, 'client' | 'serviceNow'> {
  output: Pick<Context['output'], 'times'>;
}

/** The help text of the argument that identifies a delivery. */
export const deliveryWord = 'Delivery ID, your reference, or a phone number';

/** Added to the description of commands that change a delivery. */
export const foundBy =
  'The delivery can be given by ID, by your own reference, or by a pickup or dropoff phone number. If more than one matches, the command stops without changing anything.';

/** Finds the one delivery that a text identifies: its ID, a reference, or a phone number of either contact. Fails with exit 5 if there is none, and with exit 2 for an empty text or several matches, as it never guesses. Several attempts at one order count as one: the latest. */
export async function findDelivery(context: Asking, text: string): Promise<Delivery> {
  if (text.trim() === '')
    throw new UsageError('Specify a delivery: its ID, your reference, or a phone number.');
  // A phone number in a path would end up in the service's logs.
  const byId = text.startsWith('+') ? null : await deliveryById(context, text);
  if (byId !== null) return byId;
  const matches = await Promise.all(queriesFor(text).map((query) => matchesOf(context, query)));
  const found = matches.flatMap(({ deliveries }) => deliveries);
  const [only, ...others] = found.filter(
    ({ id }, index) => found.findIndex((each) => each.id === id) === index,
  );
  if (only === undefined) {
    const { orderInstead } = await import('../orders/without-delivery.ts');
    throw (await orderInstead(context, text)) ?? notFound(text);
  }
  if (others.length === 0) return only;
  const isOneOrder = only.order_id !== '' && others.every(({ order_id }) => order_id === only.order_id);
  const latest = isOneOrder ? await latestOf(context, only.order_id, found) : undefined;
  if (latest !== undefined) return latest;
  throw several(context, text, { found: [only, ...others], matches });
}

/** Returns the current delivery of an order that was retried. */
async function latestOf(
  context: Asking,
  order_id: string,
  tries: readonly Delivery[],
): Promise<Delivery | undefined> {
  const client = await context.client();
  try {
    const { data } = await client.orders.get({ params: { order_id } });
    return tries.find(({ id }) => id === data.delivery_id);
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

/** Gets a delivery by ID; null if it does not exist. The format of IDs is up to the service. */
async function deliveryById({ client }: Asking, deliveryid: string): Promise<Delivery | null> {
  try {
    return (await (await client()).deliveries.get({ params: { deliveryid } })).data;
  } catch (error) {
    if (isOwnId(deliveryid) || !(error instanceof ApiError) || !saysNoSuchId(error)) throw error;
    return null;
  }
}

/** Services refuse a malformed ID in several ways. */
function saysNoSuchId({ status }: ApiError): boolean {
  return status !== 401 && status !== 403 && status !== 429 && status >= 400 && status <= 500;
}

/** Finds the delivery's ID; an ID of waybill's own format is used unchanged and left to the service. */
export async function findDeliveryId(context: Asking, text: string): Promise<string> {
  return isOwnId(text) ? text : (await findDelivery(context, text)).id;
}

/** True if the text can only be an ID of waybill's own service. */
function isOwnId(text: string): boolean {
  return text.startsWith('dlv_');
}

type Query = { external_order_ref: string } | { phone: string };

/** Digits may be a reference as well as a phone number. */
function queriesFor(text: string): Query[] {
  const phones = isPhone(text) ? phonesLike(text) : [];
  return [{ external_order_ref: text }, ...phones.map((phone) => ({ phone }))];
}

const mostChoices = 10;

interface Matches {
  query: Query;
  deliveries: readonly Delivery[];
}

async function matchesOf(context: Asking, query: Query): Promise<Matches> {
  const client = await context.client();
  const { data } = await client.deliveries.list({ query: { ...query, limit: mostChoices } });
  return { query, deliveries: data.data };
}

function notFound(text: string): Failure {
  const hint = 'Searched delivery IDs, your references and phone numbers.';
  return new Failure(5, 'record_not_found', `No delivery matches "${text}".`, {
    hint,
    next: [
      ...(/\p{L}{2}/u.test(text)
        ? [{ ...invocation('deliveries list', [], { search: text }), when: 'if it is a name' }]
        : []),
      { ...invocation('deliveries list'), when: 'see what there is' },
    ],
  });
}

interface Several {
  found: readonly Delivery[];
  matches: readonly Matches[];
}

function several(context: Asking, text: string, { found, matches }: Several): UsageError {
  const lists = matches.filter(({ deliveries }) => deliveries.length > 0).map(({ query }) => listOf(query));
  return new UsageError(`Several deliveries match "${text}".`, {
    why: describedLines(context, found).join('\n'),
    choices: found.map(({ id }) => id),
    next: lists.map((line) => ({ ...line, when: 'see all of them' })),
  });
}

/** Describes the matches so that people can distinguish them: ID first, then reference, recipient, status and age. */
function describedLines({ serviceNow, output }: Asking, found: readonly Delivery[]): string[] {
  const rows = found.map(({ id, external_order_ref, dropoffs, status, created_at }) =>
    [
      ...[id, oneLine(external_order_ref), oneLine(dropoffs[0]?.dropoff_name ?? ''), status],
      styledTime(created_at, serviceNow(), output.times, localTime),
    ].map((text) => ({ text })),
  );
  return alignedRows(rows, { room: null, indent: 0 });
}

function listOf(query: Query): Invocation {
  const filter =
    'phone' in query ? { phone: `+${query.phone}` } : { externalOrderRef: query.external_order_ref };
  return invocation('deliveries list', [], filter);
}
