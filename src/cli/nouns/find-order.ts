/** Finds an order by what a user types: its ID or the end of it, the ID of its delivery, or a reference. */
import type { Client } from '../../client/client.ts';
import { ApiError, Unsupported } from '../../client/errors.ts';
import type { Order } from '../../contract/orders.ts';
import { max_route_orders } from '../../contract/vocabulary.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { invocation, joinedTexts, type NextStep, phrase, timePart } from '../kit/result/message.ts';
import { otherKindError } from '../records.ts';
import type { Context } from '../session/command.ts';
import { searchedPart, searchIncomplete } from '../session/list-reader.ts';
import { storeZone } from './order.ts';

/** The help text of the argument that identifies an order. */
export const orderWord = 'Order ID, your reference, or the ID of its delivery';

/**
 * Finds the ID of the one order that a text identifies: an ID, which is used unchanged and left to the service, the ID
 * of its delivery, or a reference. Fails with exit 5 if there is none, and with exit 2 for an empty text or if several
 * orders have the reference, as it never guesses.
 */
export async function findOrderId(
  context: Pick<Context, 'client'>,
  given: string,
  { onOthers }: { onOthers?: (latest: Order, others: readonly Order[]) => void } = {},
): Promise<string> {
  const text = pastedId(given) ?? given;
  if (text.trim() === '') throw new UsageError('Specify an order: its ID or your reference.');
  if (/^ord_[0-9A-Z]{26}$/.test(text)) return text;
  const client = await context.client();
  if (text.startsWith('dlv_'))
    return (await client.deliveries.get({ params: { deliveryid: text } })).data.order_id || text;
  if (await mayBeId(context, text)) return text;
  const forms = pastedForms(text).flatMap((form) => [form, ...otherMarks(form)]);
  const listed = await ordersNamed(client, forms);
  const found = listed.data.data.length > 0 ? listed.data.data : await byEndOfId(client, text);
  const [only, ...others] = found;
  if (only === undefined) throw notFound(text, searchedPart(listed));
  if (others.length > 0 && onOthers === undefined) throw several(text, found);
  if (others.length > 0) onOthers?.(only, others);
  return only.id;
}

/** The orders with a reference, or else with the first of the others that any order has. */
async function ordersNamed(
  client: Client,
  [ref = '', ...others]: readonly string[],
): ReturnType<Client['orders']['list']> {
  const listed = await client.orders.list({ query: { external_order_ref: ref, limit: max_choices } });
  return listed.data.data.length > 0 || others.length === 0 ? listed : ordersNamed(client, others);
}

/** The orders whose ID ends so, as lists shorten it. */
async function byEndOfId(client: Client, text: string): Promise<Order[]> {
  if (!isEndOfId(text)) return [];
  const { data } = await client.orders.list({ query: { q: text, limit: max_choices } });
  return data.data.filter(({ id }) => id.endsWith(text.toUpperCase()));
}

/** Whether a text can be the end of an ID that a list shows. */
export function isEndOfId(text: string): boolean {
  return /^(?=.*[A-Z])[0-9A-Z]{5,10}$/i.test(text);
}

/**
 * The other forms of a number: people say `#1042` for the reference 1042, and 1042 or `# 1042` for `#1042`, as shops
 * store it.
 */
export function otherMarks(text: string): string[] {
  const number = /^#?\s*(\d[\w-]*|(?<=#\s*)\S.*?)\s*$/.exec(text.trim())?.[1];
  return number === undefined ? [] : [number, `#${number}`].filter((form) => form !== text);
}

/** The ID of a record in a pasted line or link; null without one. */
export function pastedId(text: string): string | null {
  return /(?<=^|[\s/"'<(:=])(?:dlv|ord)_[0-9A-Z]{26}(?![0-9A-Z])/.exec(text)?.[0] ?? null;
}

/**
 * The texts to look up for a pasted text such as `Order #1042.` or `<mailto:joe@diner.example>`: the text itself, then
 * the same without quotes, punctuation and words such as `Order`.
 */
export function pastedForms(text: string): string[] {
  const plain = text
    .trim()
    .replace(/^[<("'\u2018\u201c]+|[>)"'\u2019\u201d.,;:!?]+$/g, '')
    .replace(/^mailto:([^?]+).*$/i, '$1');
  const bare = /^(?:(?:order|delivery|reference|ref|invoice|po|number|no|nr)(?:[\s.:#]+))+(\S*\d.*)$/i.exec(
    plain,
  )?.[1];
  return [...new Set([text, plain, ...(bare === undefined ? [] : [bare])])];
}

/** The IDs of the orders of a route. UsageError for more than a route takes. */
export async function findOrderIds(
  context: Pick<Context, 'client'>,
  texts: readonly string[],
): Promise<string[]> {
  if (texts.length > max_route_orders)
    throw new UsageError(`A route takes at most ${max_route_orders} orders, not ${texts.length}.`);
  const ids: string[] = [];
  for (const text of texts) ids.push(await findOrderId(context, text));
  return ids;
}

/** True if an order may have this ID. If the service cannot look orders up, the text is used unchanged. */
async function mayBeId({ client }: Pick<Context, 'client'>, order_id: string): Promise<boolean> {
  try {
    await (await client()).orders.get({ params: { order_id } });
    return true;
  } catch (error) {
    if (error instanceof Unsupported) return true;
    // Services that read only IDs of their own form answer 400 or 422 to another text, and some fail at it with 500.
    const isRefused = error instanceof ApiError && [400, 404, 422, 500].includes(error.status);
    if (!isRefused) throw error;
    return false;
  }
}

const max_choices = 10;

/** The command for the name of a file in place of an order; null for other texts. */
function fileStep(text: string): NextStep | null {
  if (/\.json$/i.test(text))
    return { ...invocation('ship', [], { file: text, cheapest: true }), when: 'send the orders of the file' };
  if (!/\.(?:csv|ndjson)$/i.test(text)) return null;
  return { ...invocation('orders import', [text]), when: 'create the orders of the file' };
}

/** `part` is how many orders were searched, if these are not all. */
function notFound(text: string, part: number | null): Failure {
  const other = otherKindError(text, 'order');
  if (other !== null) return new Failure(5, 'record_not_found', other.message, { next: other.next });
  const next = [{ ...invocation('orders list'), when: 'see what there is' }];
  const file = fileStep(text);
  if (file !== null) {
    const hint = 'An order is named by its ID or reference; a file with orders is read with a flag.';
    return new Failure(5, 'record_not_found', `No order matches "${text}".`, { hint, next: [file] });
  }
  if (part !== null) return searchIncomplete(`No order matches "${text}"`, part, next);
  return new Failure(5, 'record_not_found', `No order matches "${text}".`, {
    hint: 'Searched order IDs, delivery IDs and your references.',
    next,
  });
}

/** The error for a reference of several orders. */
export function several(ref: string, orders: readonly Order[]): UsageError {
  return new UsageError(`Several orders have the reference "${ref}". Use an order ID instead.`, {
    why: joinedTexts(
      orders.map((order) => {
        const created = timePart(order.created_at, 'aged', storeZone(order));
        return phrase`${order.id} (${order.status}, ${created})`;
      }),
      '\n',
    ),
    choices: orders.map(({ id }) => id),
    next: [{ ...invocation('orders list', [], { externalOrderRef: ref }), when: 'see all of them' }],
  });
}
