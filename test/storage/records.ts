import { insertAccount } from '../../src/storage/accounts.ts';
import type { NewCourierEntry } from '../../src/storage/couriers.ts';
import type {
  AccountRow,
  AttemptRow,
  BatchOrderRow,
  BatchRow,
  ChargeRow,
  Connection,
  CourierBookingRow,
  DeliveryRow,
  DispatchRow,
  DriverAssignmentRow,
  DriverRow,
  JobRow,
  KeyRow,
  OrderRow,
  QuoteRow,
  RouteRow,
  Scope,
  StoreRow,
} from '../../src/storage/database.ts';
import type { NewReport } from '../../src/storage/deliveries.ts';
import { type IdPrefix, ulidTime } from '../../src/storage/paging.ts';

export const noon = Date.UTC(2026, 0, 15, 12);
export const scope: Scope = { account_id: 'acct_a', test_mode: 1 };
export const otherMode: Scope = { account_id: 'acct_a', test_mode: 0 };
export const otherAccount: Scope = { account_id: 'acct_b', test_mode: 1 };

/** The two accounts of all other records. */
export async function insertAccounts(db: Connection): Promise<void> {
  await insertAccount(db, account({ id: 'acct_b', created_at: noon + 1 }));
  await insertAccount(db, account({}));
}

/** An id created at `created_at`, ordered by `number` within its millisecond. */
export function idAt(prefix: IdPrefix, created_at: number, number: number): string {
  return prefix + ulidTime(created_at) + String(number).padStart(16, '0');
}

function account(change: Partial<AccountRow>): AccountRow {
  return {
    id: 'acct_a',
    name: 'Corner Shop',
    live_settings: '{}',
    test_settings: '{}',
    created_at: noon,
    suspended_at: null,
    ...change,
  };
}

export function key(number: number, change: Partial<KeyRow> = {}): KeyRow {
  return {
    ...scope,
    id: idAt('key_', noon, number),
    hash: `hash ${number}`,
    last_four: 'abcd',
    name: 'till',
    permission: 'write',
    created_at: noon,
    revoked_at: null,
    expires_at: null,
    last_used_at: null,
    ...change,
  };
}

export function order(number: number, change: Partial<OrderRow> = {}): OrderRow {
  const created_at = change.created_at ?? noon;
  return {
    ...scope,
    id: idAt('ord_', created_at, number),
    status: 'open',
    route_id: null,
    delivery_id: null,
    batch_id: null,
    external_order_ref: '',
    record: '{"dropoff_name":"Zoë \\"Z\\" O\'Neil"}',
    erased_at: null,
    created_at,
    updated_at: created_at,
    ...change,
  };
}

export function route(number: number, change: Partial<RouteRow> = {}): RouteRow {
  return {
    ...scope,
    id: idAt('rte_', noon, number),
    status: 'draft',
    order_ids: '[]',
    stops: '[]',
    distance_tenths: 19,
    created_at: noon,
    updated_at: noon,
    ...change,
  };
}

export function job(id: string, change: Partial<JobRow> = {}): JobRow {
  return {
    id,
    account_id: 'acct_a',
    route_id: 'rte_1',
    round: 1,
    status: 'PENDING',
    asked: 2,
    requested_at: noon,
    completed_at: null,
    ...change,
  };
}

export function quote(id: string, change: Partial<QuoteRow> = {}): QuoteRow {
  return {
    id,
    account_id: 'acct_a',
    route_id: 'rte_1',
    job_id: 'job_1',
    provider: 'swiftly',
    cost_of_delivery: 799,
    service_fee: 54,
    expires_at: null,
    record: '{}',
    created_at: noon,
    used_at: null,
    ...change,
  };
}

/** A driver of the own fleet. */
export function driver(number: number, change: Partial<DriverRow> = {}): DriverRow {
  return {
    ...scope,
    id: idAt('drv_', noon, number),
    ...{ name: 'Sam Lee', phone: '13125550133', vehicle_type: 'car', link_hash: `hash ${number}` },
    assign_without_asking: 0,
    ...{ on_duty: 0, position: null, plan: '[]', contact: null, created_at: noon, updated_at: noon },
    ...change,
  };
}

export function dispatch(id: string, change: Partial<DispatchRow> = {}): DispatchRow {
  return {
    id,
    account_id: 'acct_a',
    route_id: 'rte_1',
    quote_id: 'quo_1',
    provider: 'swiftly',
    provider_key: `for ${id}`,
    request_key: null,
    state: 'asking',
    reason: null,
    unsettled: null,
    created_at: noon,
    updated_at: noon,
    ...change,
  };
}

/** An empty batch of auto dispatch. */
export function batch(id: string): BatchRow {
  return {
    ...scope,
    ...{ id, status: 'processing', order_count: 0, settings: '{}' },
    ...{ created_at: noon, updated_at: noon, completed_at: null },
  };
}

/** An order in auto dispatch. */
export function batchOrder(order_id: string): BatchOrderRow {
  return {
    ...{ order_id, batch_id: 'bat_1', position: 0, external_order_ref: '', status: 'pending' },
    ...{ attempts: 0, next_attempt_at: noon, refusals: '[]', delivery_id: null, reason: '' },
    ...{ paused_ms: 0, updated_at: noon },
  };
}

/** An attempt of auto dispatch for an order. */
export function orderAttempt(number: number): AttemptRow {
  return {
    ...scope,
    id: idAt('try_', noon, number),
    ...{ order_id: 'ord_1', batch_id: 'bat_1', number, status: 'quoting', route_id: 'rte_1' },
    ...{ provider: null, quote_id: null, delivery_id: null, reason: '', left_out: '[]' },
    created_at: noon,
    ended_at: null,
    repeats: 0,
    last_at: null,
  };
}

export function delivery(number: number, change: Partial<DeliveryRow> = {}): DeliveryRow {
  const created_at = change.created_at ?? noon;
  const id = idAt('dlv_', created_at, number);
  return {
    ...scope,
    id,
    order_id: `ord_${number}`,
    route_id: 'rte_1',
    status: 'delivery_created',
    service: 'swiftly',
    external_order_ref: '',
    pickup_phone: '13125550100',
    dropoff_phone: '13125550199',
    tracking_token: `token of ${id}`,
    dropoff_eta: created_at + 3_600_000,
    promised_at: created_at + 3_600_000,
    ...{ store_id: null, dropoff_at: null },
    ended_at: null,
    record: '{}',
    erased_at: null,
    created_at,
    updated_at: created_at,
    ...change,
  };
}

export function charge(number: number, change: Partial<ChargeRow> = {}): ChargeRow {
  const created_at = change.created_at ?? noon;
  return {
    ...scope,
    id: idAt('chg_', created_at, number),
    delivery_id: 'dlv_1',
    kind: 'delivery',
    amount: 853,
    reason: null,
    created_at,
    ...change,
  };
}

export function store(number: number, change: Partial<StoreRow> = {}): StoreRow {
  return {
    ...scope,
    id: idAt('str_', noon, number),
    record: '{"name":"Zoë\'s \\"corner\\""}',
    created_at: noon,
    updated_at: noon,
    ...change,
  };
}

/** A report that has arrived. */
export function report(number: number, change: Partial<NewReport> = {}): NewReport {
  return {
    provider: 'swiftly',
    provider_report_id: `report ${number}`,
    account_id: 'acct_a',
    delivery_id: 'dlv_1',
    status: 'driver_assigned',
    effect: 'moved',
    occurred_at: noon,
    received_at: noon + number,
    raw: null,
    record: '{"courier":"Zoë"}',
    ...change,
  };
}

/** An order of a dispatch at a connected courier. */
export function booking(change: Partial<CourierBookingRow> = {}): CourierBookingRow {
  return {
    ...otherMode,
    dispatch_id: 'dsp_1',
    order_id: 'ord_1',
    provider: 'uber-direct',
    key: 'dsp_1_0',
    state: 'asking',
    quote_reference: 'dqt_1',
    reference: null,
    tracking_url: null,
    ...{ cost: null, cancellation_fee: null, bill: null },
    reason: null,
    updated_at: noon,
    ...change,
  };
}

/** What a simulated courier writes down. */
export function courierEntry(change: Partial<NewCourierEntry> = {}): NewCourierEntry {
  return {
    provider: 'swiftly',
    reference: 'dsp_1',
    name: 'key 1',
    kind: 'created',
    answer: '{"kind":"refused","reason":"Zoë has no courier available"}',
    entered_at: noon,
    ...change,
  };
}

/** A route of a driver of the own fleet. */
export function assignment(change: Partial<DriverAssignmentRow>): DriverAssignmentRow {
  return {
    ...scope,
    ...{ dispatch_id: 'dsp_1', route_id: 'rte_1', driver_id: 'drv_1', state: 'accepted' },
    ...{ offer: 1, answer_by: null, passed: '[]', created_at: noon, updated_at: noon },
    ...change,
  };
}
