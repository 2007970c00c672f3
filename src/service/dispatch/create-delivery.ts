import type { createDelivery } from '../../contract/delivery-creation.ts';
import { whileCollecting } from '../../storage/collected-inserts.ts';
import type { QuoteRow } from '../../storage/database.ts';
import { insertQuotes } from '../../storage/quotes.ts';
import { deliveryView, viewpointOf } from '../deliveries/delivery-view.ts';
import { type Chosen, cheapestQuote, namedQuote, renewQuote } from '../deliveries/quote-delivery.ts';
import { insertNewDelivery, storedShare } from '../deliveries/write-delivery.ts';
import type { Call, Handler } from '../http/handler.ts';
import { newOrder } from '../orders/order-handlers.ts';
import type { OrderRecord } from '../orders/order-request.ts';
import { orderOf } from '../orders/read-order.ts';
import { insertSearchableOrders } from '../orders/search.ts';
import { initiate } from './initiate-delivery.ts';
import { executeAndView } from './intent.ts';

type Request = Call<typeof createDelivery>;

/** Stores a delivery with its price and ETAs, and dispatches it if the body sets `initiate`; only then is it paid. */
export const addDelivery: Handler<typeof createDelivery> = async (call) => {
  const { body, id, now, service } = call;
  const { initiate: isInitiated = false, quote_id, ...request } = body;
  const record = await orderOf(call, request, '');
  const ref = request.external_order_ref ?? '';
  const order = { ...newOrder(call, { id: id('ord', '0'), ref, record }), status: 'routed' } as const;
  const chosen = await chooseQuote(call, { record, order_id: order.id, quote_id });
  const used = isInitiated ? await renewChosen(call, chosen, { record, order_id: order.id }) : chosen;
  const token = await service.secrets.base62(22);
  const chance = await service.chance();
  const made = await call.commit((db) =>
    // The order and the delivery are changed right after they are created: each is inserted once, in its final state.
    whileCollecting(db, async () => {
      const context = { db, chance, now, providers: service.providers };
      await insertSearchableOrders(db, [order]);
      await insertQuotes(db, used.fresh);
      const share = storedShare(used.quote, order, now);
      const { settings } = call.caller;
      const stored = { order, share, status: 'request', route_id: '', token, settings } as const;
      const row = await insertNewDelivery(context, id, stored);
      if (!isInitiated) return deliveryView(row, viewpointOf(call));
      const started = await initiate(context, call, { row, order, quote: used.quote, token });
      return deliveryView(started, viewpointOf(call));
    }),
  );
  return isInitiated ? executeAndView(call, made) : made;
};

interface Wanted {
  record: OrderRecord;
  order_id: string;
}

/** The given quote, or its replacement; without one the cheapest. */
async function chooseQuote(
  call: Request,
  wanted: Wanted & { quote_id: string | undefined },
): Promise<Chosen> {
  if (wanted.quote_id === undefined) return cheapestQuote(call, wanted);
  const quote = await namedQuote(call, { quote_id: wanted.quote_id, record: wanted.record });
  return renewQuote(call, { ...wanted, quote });
}

/** Replaces a chosen quote that has expired since. */
async function renewChosen(call: Request, { quote, fresh }: Chosen, wanted: Wanted): Promise<Chosen> {
  if (quote === null) return { quote, fresh };
  const renewed = await renewQuote(call, { ...wanted, quote });
  return { quote: renewed.quote, fresh: [...fresh, ...renewed.fresh] satisfies QuoteRow[] };
}
