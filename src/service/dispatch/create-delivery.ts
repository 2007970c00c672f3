import type { createDelivery } from '../../contract/delivery-changes.ts';
import type { QuoteRow } from '../../storage/database.ts';
import { insertQuotes } from '../../storage/quotes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryView, viewpointOf } from '../deliveries/delivery-view.ts';
import { type Chosen, cheapestQuote, namedQuote, renewQuote } from '../deliveries/quote-delivery.ts';
import { insertNewDelivery, storedShare } from '../deliveries/write-delivery.ts';
import type { Call, Handler } from '../http/handler.ts';
import { newOrder } from '../orders/order-handlers.ts';
import type { OrderRecord } from '../orders/order-request.ts';
import { orderOf } from '../orders/read-order.ts';
import { insertSearchableOrders } from '../orders/search.ts';
import { executeAndView } from './dispatch-now.ts';
import { initiate } from './initiate-delivery.ts';

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
  const store = async (context: TransitionContext) => {
    await insertSearchableOrders(context.db, [order]);
    await insertQuotes(context.db, used.fresh);
    const share = storedShare(used.quote, order, now);
    const { settings } = call.caller;
    const stored = { order, share, status: 'request', route_id: '', token, settings } as const;
    return insertNewDelivery(context, id, stored);
  };
  if (isInitiated) {
    return executeAndView(call, async (context) => {
      const row = await store(context);
      return initiate(context, call, { row, order, quote: used.quote, token });
    });
  }
  const { providers } = service;
  const chance = await service.chance();
  return call.commit(
    async (db) => deliveryView(await store({ db, chance, now, providers }), viewpointOf(call)),
    'read committed',
  );
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
