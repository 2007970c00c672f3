import type { Delivery } from '../../../../src/contract/deliveries.ts';
import type { DeliveryStatus } from '../../../../src/contract/vocabulary.ts';

/** Noon of the day of these tests, in the API's format. */
export function at(minutes: number): string {
  return new Date(Date.parse('2026-03-02T12:00:00.000Z') + minutes * 60_000).toISOString();
}

/** The same in milliseconds. */
export function instant(minutes: number): number {
  return Date.parse(at(minutes));
}

export type Entered = readonly [DeliveryStatus, number];

/** A delivery from the Grill to Joe, created at noon and expected half an hour later. */
export function delivery(entered: readonly Entered[], fields: Partial<Delivery> = {}): Delivery {
  const status_history = entered.map(([status, minutes]) => ({ status, created_at: at(minutes) }));
  return {
    ...{ id: 'dlv_1', delivery_type: 'asap', service: 'swiftly', tracking_url: 'http://t/1' },
    ...{ status: entered.at(-1)?.[0] ?? 'request', status_history },
    ...{ created_at: at(0), updated_at: at(entered.at(-1)?.[1] ?? 0) },
    ...{ cancellation_reason: null, failure_reason: null, failure_message: '', dispute_reason: null },
    ...{ external_order_ref: '#1042', order_id: 'ord_1', route_id: 'rte_1', order_value: 0 },
    ...{ quote_id: 'quo_1', store_id: null, test_mode: true },
    ...{ currency: 'USD', payment_amount: 853, tip: null, fee: 853, upsell: null, subsidized: null },
    ...{ refunded_amount: 0, pickup_at: null, pickup_address: '43 E Ohio St, Chicago, IL 60611, USA' },
    ...{ pickup_eta: at(10), pickup_name: 'Grill', pickup_notes: '', pickup_phone_number: '13125550101' },
    pickup_unit: '',
    dropoffs: [
      {
        ...{ dropoff_at: null, dropoff_address: '233 S Wacker Dr, Chicago, IL 60606, USA' },
        ...{ dropoff_eta: at(30), dropoff_name: 'Joe Diner', dropoff_notes: '', dropoff_unit: '' },
        dropoff_phone_number: '13125550142',
      },
    ],
    ...{ items_description: '', items: [{ name: 'Soup', quantity: 2, size: 'small' }] },
    ...{ courier_name: null, courier_img: null, courier_phone_number: null, courier_vehicle_type: null },
    ...{ courier_location_lat: null, courier_location_lng: null, vehicle: null },
    ...{ handover_pin: null, signature: null, proof_of_delivery: [] },
    ...fields,
  };
}
