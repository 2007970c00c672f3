import { type JsonFields, textAt } from '../../../src/providers/json-messages.ts';
import type { FakeAnswer } from '../fake-http.ts';
import { cancelNotAllowed, duplicateDelivery, invalid, unknownDelivery, updateNotAllowed } from './errors.ts';

const doorDashStatuses = [
  'quote',
  'created',
  'confirmed',
  'enroute_to_pickup',
  'arrived_at_pickup',
  'picked_up',
  'enroute_to_dropoff',
  'arrived_at_dropoff',
  'delivered',
  'enroute_to_return',
  'arrived_at_return',
  'returned',
  'cancelled',
] as const;

export type DoorDashStatus = (typeof doorDashStatuses)[number];

/** A quote and the delivery that becomes of it: one resource under the caller's ID. */
export interface FakeDelivery {
  request: JsonFields;
  status: DoorDashStatus;
  created_at: number;
  /** The fields of the response that the fake adds to the request's. */
  output: Readonly<Record<string, unknown>>;
}

export const base_fee = 975;
/** DoorDash bills 60 % of the fee for the way back; that its deliveries show it is an assumption. */
export const return_fee = 585;

const quote_minutes = 5;
const minute = 60_000;
const e164 = /^\+[1-9]\d{7,14}$/;
/** Numbers that are kept for fiction in North America; DoorDash does not take them. */
const fictional = /^\+1\d{3}55501\d{2}$/;

/** The deliveries of one developer account. */
export class FakeDeliveries {
  readonly #all = new Map<string, FakeDelivery>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(id: string): FakeDelivery | undefined {
    return this.#all.get(id);
  }

  list(): [string, FakeDelivery][] {
    return [...this.#all];
  }

  set(id: string, delivery: FakeDelivery) {
    this.#all.set(id, delivery);
  }

  quote(request: JsonFields): FakeAnswer {
    const problem = problemOf(request, ['external_delivery_id', 'dropoff_address']);
    if (problem !== null) return problem;
    const id = textAt(request, 'external_delivery_id') ?? '';
    return this.#all.has(id) ? duplicateDelivery(id) : this.#enter(id, request, 'quote');
  }

  create(request: JsonFields): FakeAnswer {
    const problem = problemOf(request, ['external_delivery_id', 'dropoff_address', 'dropoff_phone_number']);
    if (problem !== null) return problem;
    const id = textAt(request, 'external_delivery_id') ?? '';
    const known = this.#all.get(id);
    if (known === undefined) return this.#enter(id, request, 'created');
    const isRepeat = known.status !== 'quote' && JSON.stringify(known.request) === JSON.stringify(request);
    return isRepeat ? answerOf(known) : duplicateDelivery(id);
  }

  accept(id: string, changes: JsonFields): FakeAnswer {
    const known = this.#all.get(id);
    if (known === undefined) return unknownDelivery(id);
    if (known.status !== 'quote') return duplicateDelivery(id);
    if (this.#now() >= known.created_at + quote_minutes * minute) {
      return invalid('external_delivery_id', 'The quote has expired');
    }
    const request = { ...known.request, ...changes };
    const problem = problemOf(request, ['dropoff_phone_number']);
    if (problem !== null) return problem;
    return this.#change(id, { ...known, request, status: 'created' });
  }

  read(id: string): FakeAnswer {
    const known = this.#all.get(id);
    return known === undefined ? unknownDelivery(id) : answerOf(known);
  }

  update(id: string, changes: JsonFields): FakeAnswer {
    const known = this.#all.get(id);
    if (known === undefined) return unknownDelivery(id);
    const reason = reasonAgainst(known.status);
    if (reason !== null) return updateNotAllowed(reason);
    const request = { ...known.request, ...changes };
    return problemOf(request, []) ?? this.#change(id, { ...known, request });
  }

  cancel(id: string): FakeAnswer {
    const known = this.#all.get(id);
    if (known === undefined || known.status === 'quote') return unknownDelivery(id);
    const reason = reasonAgainst(known.status);
    if (reason !== null) return cancelNotAllowed(reason);
    if (known.status !== 'created') return cancelNotAllowed('cancellation_window_closed');
    const output = { ...known.output, cancellation_reason: 'cancelled_by_creator' };
    return this.#change(id, { ...known, output, status: 'cancelled' });
  }

  #enter(id: string, request: JsonFields, status: DoorDashStatus): FakeAnswer {
    const now = this.#now();
    const pickup = Date.parse(textAt(request, 'pickup_time') ?? '') || now + 20 * minute;
    const output = {
      currency: 'USD',
      fee: base_fee,
      fee_components: [{ type: 'distance_based_fee', amount: base_fee }],
      pickup_time_estimated: new Date(pickup).toISOString(),
      dropoff_time_estimated: textAt(request, 'dropoff_time') ?? new Date(pickup + 25 * minute).toISOString(),
      support_reference: String(86_313 + this.#all.size),
      tracking_url: `https://doordash.com/tracking?id=${id}`,
    };
    return this.#change(id, { request, status, created_at: now, output });
  }

  #change(id: string, delivery: FakeDelivery): FakeAnswer {
    const output = { ...delivery.output, updated_at: new Date(this.#now()).toISOString() };
    const changed = { ...delivery, output };
    this.#all.set(id, changed);
    return answerOf(changed);
  }
}

/** Everything that is known of a delivery, as responses and webhooks show it. */
export function fieldsOfDelivery({ request, output }: FakeDelivery): JsonFields {
  return { ...request, ...output };
}

function answerOf(delivery: FakeDelivery): FakeAnswer {
  return { status: 200, body: { ...fieldsOfDelivery(delivery), delivery_status: delivery.status } };
}

function reasonAgainst(status: DoorDashStatus): string | null {
  if (status === 'cancelled') return 'delivery_cancelled';
  if (status === 'delivered' || status === 'returned') return 'delivery_completed';
  return doorDashStatuses.indexOf(status) >= doorDashStatuses.indexOf('picked_up')
    ? 'delivery_picked_up'
    : null;
}

function problemOf(request: JsonFields, required: readonly string[]): FakeAnswer {
  const missing = required.find((name) => textAt(request, name) === null);
  if (missing !== undefined) return invalid(missing, 'Must be specified');
  const id = textAt(request, 'external_delivery_id');
  if (id !== null && !/^[a-zA-Z0-9\-._~]+$/.test(id))
    return invalid('external_delivery_id', 'Unknown ID format');
  for (const name of ['pickup_phone_number', 'dropoff_phone_number']) {
    const phone = request[name];
    if (phone !== undefined && (!e164.test(String(phone)) || fictional.test(String(phone)))) {
      return invalid(name, 'Unknown phone number format');
    }
  }
  return null;
}
