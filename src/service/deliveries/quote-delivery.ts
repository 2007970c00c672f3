/** Quotes for one parcel, within the request (version 1 of the interface). */
import type { DeliveryQuote, quoteDelivery } from '../../contract/delivery-changes.ts';
import type { Fault } from '../../contract/errors.ts';
import type { Decline } from '../../contract/routes.ts';
import { shownFee } from '../../domain/charges.ts';
import { pairFaults } from '../../domain/geography.ts';
import { exclusive, sizeFaults } from '../../domain/order-rules.ts';
import { quotePrice, rankQuotes } from '../../domain/quotes.ts';
import { insertQuotes } from '../../storage/quotes.ts';
import type { Call, Handler } from '../http/handler.ts';
import { simulationFor } from '../http/simulation-header.ts';
import type { OrderEnd, OrderRecord } from '../orders/order.ts';
import { placeOrder } from '../orders/order-places.ts';
import { contentOf, readTime, storedItems, storeOf } from '../orders/order-request.ts';
import { withOwnQuote } from '../orders/platform-forms.ts';
import { type Estimate, estimate, quoteRow } from '../quotes/estimate-quotes.ts';
import { directStops } from '../quotes/quote-request.ts';
import { instant, instantOrNull } from '../runtime/time.ts';
import { placeReading, readPlace, throwFaults } from '../stores/places.ts';

type Request = Call<typeof quoteDelivery>;
type Parcel = Request['body'] & { dropoff_address: string };

/** Version 1 returns quotes within the call, cheapest first; why other providers decline is a remark on `service`. */
export const quoteOneDelivery: Handler<typeof quoteDelivery> = async (call) => {
  const record = await withOwnQuote(call, call.body, (parcel) => readParcel(call, parcel));
  const stops = directStops(record, '');
  const question = { job_id: call.id('job'), route_id: '', prefix: 'quo', record, stops, round: 1 } as const;
  const declined = ({ provider, code, reason }: Decline) =>
    call.remarks.add(`service: ${provider} does not quote (${code}): ${reason}`);
  const estimates = rankQuotes(await estimate(call, question, declined));
  return call.commit(async (db) => {
    await insertQuotes(db, estimates.map(quoteRow));
    return estimates.map((each) => viewOf(call, each));
  }, 'read committed');
};

function viewOf({ caller }: Request, each: Estimate): DeliveryQuote {
  const payment_amount = quotePrice(each);
  const { fee } = shownFee(payment_amount, caller.settings);
  return {
    id: each.id,
    fee,
    ...(fee === payment_amount ? {} : { payment_amount }),
    created: instant(each.created_at),
    dropoff_at: instant(each.dropoff_eta),
    currency: 'USD',
    expires: instantOrNull(each.expires_at),
    ...(each.too_late ? { too_late: true } : {}),
    service: each.provider,
  };
}

/** The parcel to be delivered, as an order record. Throws with every error. */
async function readParcel(call: Request, body: Parcel): Promise<OrderRecord> {
  const { now } = call;
  const faults: Fault[] = [];
  const unplaced: Fault[] = [];
  const store = await storeOf(call, body.pickup_store_id);
  const reading = await placeReading(call);
  const at = (field: 'pickup_at' | 'dropoff_at') => readTime(body[field], field, now, faults);
  const place = (end: 'pickup' | 'dropoff') => {
    const line = body[`${end}_address`] ?? '';
    const given = { latitude: body[`${end}_latitude`], longitude: body[`${end}_longitude`] };
    faults.push(...pairFaults(given, `${end}_`));
    return readPlace(reading, { line, at: `${end}_`, faults, unplaced, ...given });
  };
  faults.push(...conflicts(body), ...sizeFaults(body.items));
  const pickup = store ?? (body.pickup_address === undefined ? nowhere : place('pickup'));
  const record = {
    pickup: { ...noContact, ...pickup, at: at('pickup_at') },
    dropoff: { ...noContact, ...place('dropoff'), at: at('dropoff_at') },
    items: storedItems(body.items),
    ...unsaid,
    store_id: body.pickup_store_id ?? null,
    request_signature: body.request_signature ?? false,
    vehicle: body.vehicle ?? null,
  };
  throwFaults({ read: [{ faults, unplaced }] });
  const simulated = { dropoff_phone: '', at: '', content: contentOf(record) };
  const simulation = await simulationFor(call, simulated);
  return placeOrder(call.service, { ...record, simulation });
}

function conflicts({
  pickup_address,
  pickup_latitude,
  pickup_store_id,
  pickup_at,
  dropoff_at,
}: Request['body']): Fault[] {
  const faults: Fault[] = [];
  if (pickup_latitude !== undefined && pickup_store_id !== undefined) {
    faults.push(exclusive('pickup_latitude', 'pickup_store_id'));
  }
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
/** What a parcel that is only quoted does not say. */
const unsaid = {
  items_description: '',
  order_value: 0,
  tip: null,
  request_contactless: false,
};
