/**
 * Books the orders of a route at a courier, one after the other. A booking is written before it is sent, so that after
 * a crash its outcome is looked up instead of being booked twice: `planned` (not sent), `asking` (sent, no response
 * known), then `booked` or `refused`. If the courier refuses one order, those booked before are canceled.
 */
import type {
  Courier,
  CourierAdapter,
  CourierBooking,
  CourierDelivery,
  CourierOrder,
  CourierRefusal,
} from './courier.ts';
import {
  type CancelAnswer,
  type CancelRequest,
  type CancelTerms,
  type CreateAnswer,
  type CreateRequest,
  ProviderBusy,
  type ProviderScope,
  type UpdateAnswer,
  type UpdateRequest,
} from './port.ts';

/** The known state of the booking of one order. */
export interface BookingEntry extends ProviderScope {
  /** Our reference for the dispatch. */
  dispatch_id: string;
  order_id: string;
  provider: string;
  /** Our id of the delivery at the courier. */
  key: string;
  state: 'planned' | 'asking' | 'booked' | 'refused' | 'canceled';
  quote_reference: string | null;
  /** The courier's own id; null until it is known. */
  reference: string | null;
  tracking_url: string | null;
  /** In cents, without the tip. */
  cost: number | null;
  /** The courier's fee for the cancellation, in cents; null if it was not canceled or the fee is unknown. */
  cancellation_fee: number | null;
  /**
   * Why the courier refused it or it was canceled. In a booking with the state `booked`, why it must be canceled:
   * `on_request`, or that it was made in the other mode; null if it is kept.
   */
  reason: string | null;
}

/** The reason of a booking that its merchant cancels; the other bookings of the route are kept. */
const on_request = 'canceled on request';

function isCanceledOnRequest({ reason }: BookingEntry): boolean {
  return reason === on_request;
}

function isKept({ state, reason }: BookingEntry): boolean {
  return state === 'booked' && reason === null;
}

/** The bookings as stored. An entry is stored when the call resolves, whatever happens afterwards. */
export interface CourierBookings {
  ofDispatch(dispatch_id: string): Promise<readonly BookingEntry[]>;
  write(entry: BookingEntry): Promise<void>;
}

/** A courier with its bookings. */
export interface BookingCourier {
  adapter: CourierAdapter;
  /** Null if the account has not connected the courier. */
  courier: Courier | null;
  bookings: CourierBookings;
}

/** A booking being made. */
interface Run extends BookingCourier {
  courier: Courier;
  request: CreateRequest;
}

/** Books all orders, or none. A repeat continues where an earlier attempt ended. */
export async function bookRoute(booking: BookingCourier, request: CreateRequest): Promise<CreateAnswer> {
  const { courier } = booking;
  if (courier === null) return answerUnconnected(booking, request);
  const run = { ...booking, courier, request };
  for (const [index, order] of request.orders.entries()) {
    const entry = (await entryOf(run, order)) ?? plannedEntry(run, order, index);
    if (isCanceledOnRequest(entry) || isKept(entry)) continue;
    if (entry.state === 'planned' && (await request.isCanceled(order.order_id))) continue;
    const isOpen = entry.state === 'planned' || entry.state === 'asking';
    const answer = isOpen
      ? await bookOrder(run, order, entry)
      : refusal(entry.reason ?? 'the booking was canceled');
    if (answer.kind === 'unknown') return answer;
    if (answer.kind === 'refused') return takeBack(run, answer.reason);
  }
  return { kind: 'accepted', reference: request.reference };
}

/** The outcome of an earlier attempt; null if the courier has not booked every order. */
export async function findRoute(
  booking: BookingCourier,
  request: CreateRequest,
): Promise<CreateAnswer | null> {
  const { courier } = booking;
  if (courier === null) return answerUnconnected(booking, request);
  const run = { ...booking, courier, request };
  let booked = 0;
  for (const order of request.orders) {
    const entry = await entryOf(run, order);
    if (entry?.state === 'booked') {
      // A booking of the other mode still has to be canceled.
      if (entry.reason !== null && !isCanceledOnRequest(entry))
        return { kind: 'unknown', reason: entry.reason };
      booked++;
    }
    if (entry?.state !== 'asking') continue;
    if (!canRecover(run)) return unknown(run, entry);
    if ((await lookUp(run, entry))?.kind === 'accepted') booked++;
  }
  return booked === request.orders.length ? { kind: 'accepted', reference: request.reference } : null;
}

type OrderAnswer = CourierBooking | Pick<CourierRefusal, 'kind' | 'reason'> | UnknownAnswer;
type UnknownAnswer = Extract<CreateAnswer, { kind: 'unknown' }>;

async function bookOrder(run: Run, order: CourierOrder, entry: BookingEntry): Promise<OrderAnswer> {
  const { courier, request } = run;
  if (entry.state === 'asking') {
    if (!canRecover(run)) return unknown(run, entry);
    const found = await lookUp(run, entry);
    if (found !== null) return found;
  }
  await request.renew();
  await run.bookings.write({ ...entry, state: 'asking' });
  request.crash('provider.before_send');
  const { key, quote_reference } = entry;
  const answer = await courier
    .create({ key, quote_reference, order, now: request.now })
    .catch(async (fault: unknown) => {
      // A busy courier has not booked in this attempt. Whether it did in an earlier one stays unknown.
      if (fault instanceof ProviderBusy) await run.bookings.write(entry);
      throw fault;
    });
  if (answer.kind === 'refused') {
    await run.bookings.write({ ...entry, state: 'refused', reason: answer.reason });
    return answer;
  }
  request.crash('provider.after_accept');
  return accept(run, entry, answer);
}

/** Whether the booking survives a lost response: it can be looked up, or sent again. */
function canRecover({ courier, adapter }: Run): boolean {
  return courier.find !== undefined || adapter.capabilities.idempotent_create;
}

/** The booking of an earlier attempt; null if the courier has none or cannot be asked. */
async function lookUp(run: Run, entry: BookingEntry): Promise<OrderAnswer | null> {
  const { key, quote_reference } = entry;
  const found = (await run.courier.find?.({ key, quote_reference })) ?? null;
  return found === null ? null : accept(run, entry, found);
}

/** Stores a booking. One of the other mode is refused: a test key never orders a real courier. */
async function accept(run: Run, entry: BookingEntry, booked: CourierBooking): Promise<OrderAnswer> {
  // A merchant may have canceled the booking before the courier answered.
  if ((await entryOf(run, entry))?.state === 'canceled') return booked;
  const reason = wrongMode(run, entry, booked);
  await run.bookings.write({ ...bookedEntry(entry, booked), reason });
  return reason === null ? booked : refusal(reason);
}

function wrongMode({ adapter, request }: Run, entry: BookingEntry, { live }: CourierBooking): string | null {
  if (live === null || live !== request.test_mode) return null;
  const [got, used] = live ? ['a live', 'a test key'] : ['a test', 'a live key'];
  return `${adapter.title} booked ${got} delivery for ${used} (order ${entry.order_id}): check its credentials`;
}

/** Cancels what was booked before an order was refused. */
async function takeBack(run: Run, reason: string): Promise<CreateAnswer> {
  const { bookings, courier, request, adapter } = run;
  for (const entry of await bookings.ofDispatch(request.reference)) {
    if (entry.state !== 'booked') continue;
    await request.renew();
    const answer = await courier.cancel(deliveryOf(entry, { status: 'delivery_created', now: request.now }));
    if (answer.kind === 'refused') {
      const left = `delivery ${entry.reference} at ${adapter.title} could not be canceled: ${answer.reason}`;
      return { kind: 'unknown', reason: `${reason}, and ${left}` };
    }
    await bookings.write({ ...entry, state: 'canceled', reason, cancellation_fee: answer.fee });
  }
  return refusal(reason);
}

/**
 * Cancels the delivery of one order; a repeat gets the same response. The reason is written first, because the courier
 * may report the cancellation before it responds.
 */
export async function cancelBooking(booking: BookingCourier, request: CancelRequest): Promise<CancelAnswer> {
  return withBooking(booking, request, async ({ courier, entry }) => {
    const asked = { ...entry, reason: on_request };
    await booking.bookings.write(asked);
    const answer = await courier.cancel(deliveryOf(entry, request));
    const now = await entryOf({ ...booking, request }, request);
    // Another request has canceled the booking meanwhile.
    if (now?.state === 'canceled') return { kind: 'taken', fee: now.cancellation_fee };
    const before = { ...entry, reason: isCanceledOnRequest(entry) ? null : entry.reason };
    if (answer.kind === 'refused') await booking.bookings.write(before);
    else await booking.bookings.write({ ...asked, state: 'canceled', cancellation_fee: answer.fee });
    return answer;
  });
}

export async function cancelBookingTerms(
  booking: BookingCourier,
  request: CancelRequest,
): Promise<CancelTerms> {
  return withBooking(booking, request, async ({ courier, entry }) => {
    return courier.cancelTerms(deliveryOf(entry, request));
  });
}

/** Calls the courier about a booking; if nothing is booked, a cancellation is free. */
async function withBooking(
  booking: BookingCourier,
  request: CancelRequest,
  call: (booked: { courier: Courier; entry: BookingEntry }) => Promise<CancelTerms>,
): Promise<CancelTerms> {
  const { adapter, bookings, courier } = booking;
  const entry = await entryOf({ bookings, request }, request);
  if (entry?.state === 'canceled') return { kind: 'taken', fee: entry.cancellation_fee };
  const isOpen = entry?.state === 'booked' || entry?.state === 'asking';
  if (entry === undefined || !isOpen) return { kind: 'taken', fee: 0 };
  if (courier === null) return { kind: 'refused', reason: `${adapter.title} is no longer connected` };
  if (entry.state === 'booked') return call({ courier, entry });
  if (courier.find === undefined) {
    return { kind: 'refused', reason: `it is not known whether ${adapter.title} has booked it` };
  }
  const found = await courier.find({ key: entry.key, quote_reference: entry.quote_reference });
  return found === null ? { kind: 'taken', fee: 0 } : call({ courier, entry: bookedEntry(entry, found) });
}

/** Passes changed notes and tips on. Couriers do not accept changes of contacts. */
export async function updateBooking(
  { adapter: { title }, bookings, courier }: BookingCourier,
  request: UpdateRequest,
): Promise<UpdateAnswer> {
  const entries = await bookings.ofDispatch(request.reference);
  const entry = entries.find(({ order_id }) => order_id === request.order_id);
  const isSent = entries.length > 0 && entry?.state !== 'refused' && entry?.state !== 'canceled';
  if (!isSent) return { kind: 'taken' };
  // The orders of a route are sent one after the other, with the contents that they had before the first.
  if (entry?.state !== 'booked') return refusal(`${title} has not confirmed it yet, try again in a minute`);
  if (request.changes_contact) return refusal(`${title} takes no changes of names, phone numbers or units`);
  if (Object.keys(request.changes).length === 0) return { kind: 'taken' };
  if (courier === null) return refusal(`${title} is no longer connected`);
  if (courier.update === undefined) return refusal(`${title} takes no changes`);
  return courier.update(deliveryOf(entry, request), request.changes);
}

async function entryOf(
  { bookings, request }: { bookings: CourierBookings; request: Pick<CreateRequest, 'reference'> },
  { order_id }: Pick<BookingEntry, 'order_id'>,
): Promise<BookingEntry | undefined> {
  const entries = await bookings.ofDispatch(request.reference);
  return entries.find((entry) => entry.order_id === order_id);
}

function plannedEntry({ adapter, request }: Run, order: CourierOrder, index: number): BookingEntry {
  return {
    account_id: request.account_id,
    test_mode: request.test_mode,
    dispatch_id: request.reference,
    order_id: order.order_id,
    provider: adapter.name,
    key: `${request.key}_${index}`,
    state: 'planned',
    quote_reference: request.quote_references[index] ?? null,
    reference: null,
    tracking_url: null,
    cost: null,
    cancellation_fee: null,
    reason: null,
  };
}

function bookedEntry(entry: BookingEntry, { reference, tracking_url, cost }: CourierBooking): BookingEntry {
  return { ...entry, state: 'booked', reference, tracking_url, cost, reason: null };
}

function deliveryOf(
  { key, reference }: BookingEntry,
  { status, now }: Pick<CourierDelivery, 'status' | 'now'>,
): CourierDelivery {
  return { key, reference: reference ?? '', status, now };
}

function refusal(reason: string) {
  return { kind: 'refused', reason } as const;
}

function unknown({ adapter }: Run, { key }: BookingEntry): UnknownAnswer {
  const reason = `${adapter.title} did not answer and cannot be asked: look there for the delivery ${key}`;
  return { kind: 'unknown', reason };
}

/** Without a connection nothing can be booked; what may have been booked before, a person must look up. */
async function answerUnconnected(
  { adapter, bookings }: BookingCourier,
  request: CreateRequest,
): Promise<CreateAnswer> {
  const entries = await bookings.ofDispatch(request.reference);
  const isOpen = entries.some(({ state }) => state === 'asking' || state === 'booked');
  const reason = `${adapter.title} is not connected`;
  return isOpen ? { kind: 'unknown', reason } : refusal(reason);
}
