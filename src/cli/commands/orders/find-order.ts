import { ApiError, Unsupported } from '../../../client/errors.ts';
import type { Order } from '../../../contract/orders.ts';
import { otherKind } from '../../errors/record-kinds.ts';
import { Failure, UsageError } from '../../kit/errors/failure.ts';
import { invocation, joinedTexts, phrase, timePart } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { searchedPart, searchIncomplete } from '../../session/listing.ts';
import { storeZone } from './store-zone.ts';

/** The help text of the argument that identifies an order. */
export const orderWord = 'Order ID, your reference, or the ID of its delivery';

/**
 * Finds the ID of the one order that a text identifies: an ID, which is used unchanged and left to the service, the ID
 * of its delivery, or a reference. Fails with exit 5 if there is none, and with exit 2 for an empty text or if several
 * orders have the reference, as it never guesses.
 */
export async function findOrderId(context: Pick<Context, 'client'>, text: string): Promise<string> {
  if (text.trim() === '') throw new UsageError('Specify an order: its ID or your reference.');
  if (text.startsWith('ord_')) return text;
  const client = await context.client();
  if (text.startsWith('dlv_'))
    return (await client.deliveries.get({ params: { deliveryid: text } })).data.order_id || text;
  if (await mayBeId(context, text)) return text;
  const listed = await client.orders.list({ query: { external_order_ref: text, limit: max_choices } });
  const [only, ...others] = listed.data.data;
  if (only === undefined) throw notFound(text, searchedPart(listed));
  if (others.length > 0) throw several(text, listed.data.data);
  return only.id;
}

/** True if an order may have this ID. If the service cannot look orders up, the text is used unchanged. */
async function mayBeId({ client }: Pick<Context, 'client'>, order_id: string): Promise<boolean> {
  try {
    await (await client()).orders.get({ params: { order_id } });
    return true;
  } catch (error) {
    if (error instanceof Unsupported) return true;
    const isRefused = error instanceof ApiError && [400, 404, 422, 500].includes(error.status);
    if (!isRefused) throw error;
    return false;
  }
}

const max_choices = 10;

/** `part` is how many orders were searched, if these are not all. */
function notFound(text: string, part: number | null): Failure {
  const other = otherKind(text, 'order');
  if (other !== null) return new Failure(5, 'record_not_found', other.message, { next: other.next });
  const next = [{ ...invocation('orders list'), when: 'see what there is' }];
  if (part !== null) return searchIncomplete(`No order matches "${text}"`, part, next);
  return new Failure(5, 'record_not_found', `No order matches "${text}".`, {
    hint: 'Searched order IDs, delivery IDs and your references.',
    next,
  });
}

function several(ref: string, orders: readonly Order[]): UsageError {
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
