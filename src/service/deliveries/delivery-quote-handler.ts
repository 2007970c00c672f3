import type { DeliveryQuote, quoteDelivery } from '../../contract/delivery-changes.ts';
import type { Fault } from '../../contract/errors.ts';
import { shownFee } from '../../domain/charges.ts';
import { exclusive, sizeFaults } from '../../domain/order-rules.ts';
import { quotePrice, rankQuotes } from '../../domain/quotes.ts';
import { insertQuotes } from '../../storage/quotes.ts';
import type { Call, Handler } from '../http/handler.ts';
import { simulationFor } from '../http/simulation-header.ts';
import { itemsOf, type OrderEnd, type OrderRecord, timeOf } from '../orders/order-request.ts';
import { contentOf, storeOf } from '../orders/read-order.ts';
import { type Estimate, estimate, quoteRow } from '../quotes/estimates.ts';
import { directStops } from '../quotes/quote-request.ts';
import { instant, instantOrNull } from '../runtime/timestamps.ts';
import { placeOf, placeReading, throwFaults } from '../stores/read-place.ts';

type Request = Call<typeof quoteDelivery>;

/** Version 1 returns quotes within the call, cheapest first, without the providers that decline. */
export const quoteOneDelivery: Handler<typeof quoteDelivery> = async (call) => {
  const record = await recordOf(call);
  const stops = directStops(record, '');
  const question = { job_id: call.id('job'), route_id: '', prefix: 'quo', record, stops, round: 1 } as const;
  const estimates = rankQuotes(await estimate(call, question));
  return call.commit(async (db) => {
    await insertQuotes(db, estimates.map(quoteRow));
    return estimates.map((each) => viewOf(call, each));
  }, 'read committed');
};

function viewOf({ caller }: Request, each: Estimate): DeliveryQuote {
  return {
    id: each.id,
    fee: shownFee(quotePrice(each), caller.settings).fee,
    created: instant(each.created_at),
    dropoff_at: instant(each.dropoff_eta),
    currency: 'USD',
    expires: instantOrNull(each.expires_at),
    service: each.provider,
  };
}

/** The parcel to be delivered, as an order record. Throws with every error. */
async function recordOf(call: Request): Promise<OrderRecord> {
  const { body, now } = call;
  const faults: Fault[] = [];
  const unplaced: Fault[] = [];
  const store = await storeOf(call, body.pickup_store_id);
  const { locate } = await placeReading(call);
  const at = (field: 'pickup_at' | 'dropoff_at') => timeOf(body[field], field, now, faults);
  const place = (field: 'pickup_address' | 'dropoff_address') =>
    placeOf(body[field] ?? '', field, locate, unplaced);
  faults.push(...conflicts(body), ...sizeFaults(body.items));
  const pickup = store ?? (body.pickup_address === undefined ? nowhere : place('pickup_address'));
  const record = {
    pickup: { ...noContact, ...pickup, at: at('pickup_at') },
    dropoff: { ...noContact, ...place('dropoff_address'), at: at('dropoff_at') },
    items: itemsOf(body.items),
    ...plain,
    request_signature: body.request_signature ?? false,
    vehicle: body.vehicle ?? null,
  };
  throwFaults({ read: [{ faults, unplaced }] });
  const simulated = { dropoff_phone: '', at: '', content: contentOf(record) };
  return { ...record, simulation: await simulationFor(call, simulated) };
}

function conflicts({ pickup_address, pickup_store_id, pickup_at, dropoff_at }: Request['body']): Fault[] {
  const faults: Fault[] = [];
  if (pickup_address === undefined && pickup_store_id === undefined) {
    faults.push({ path: 'pickup_address', message: 'is required unless pickup_store_id is given' });
  }
  if (pickup_address !== undefined && pickup_store_id !== undefined) {
    faults.push(exclusive('pickup_address', 'pickup_store_id'));
  }
  if (pickup_at !== undefined && dropoff_at !== undefined) {
    faults.push(exclusive('dropoff_at', 'pickup_at'));
  }
  return faults;
}

const nowhere = { address: '', point: { lat: 0, lng: 0 } };
const noContact: OrderEnd = { ...nowhere, name: '', phone: '', unit: '', notes: '', at: null };
const plain = {
  ...{ store_id: null, items_description: '', order_value: 0, tip: null, request_contactless: false },
};
