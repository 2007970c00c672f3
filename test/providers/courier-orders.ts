import type { CourierDelivery, CourierOrder } from '../../src/providers/courier.ts';

/** An order that every courier takes, with other fields as given. */
export function courierOrder(fields: Partial<CourierOrder> = {}): CourierOrder {
  return {
    order_id: 'ord_1',
    pickup: {
      name: 'Lakeside Books',
      phone: '+13125557701',
      address: '233 S Wacker Dr, Chicago, IL 60606, USA',
      unit: '',
      notes: 'Back door',
    },
    dropoff: {
      name: 'Ada Maria Byron',
      phone: '+13125557702',
      address: '600 E Grand Ave, Chicago, IL 60611, USA',
      unit: 'Apt 5',
      notes: 'Ring twice',
    },
    items: [{ name: 'Atlas', quantity: 2, size: 'small' }],
    items_description: 'Books',
    external_order_ref: 'A-100',
    order_value: 2500,
    tip: 300,
    request_signature: false,
    request_contactless: false,
    vehicle: null,
    undeliverable_action: 'return',
    pickup_at: null,
    dropoff_at: null,
    ...fields,
  };
}

/** A delivery as the service names it to an adapter. */
export function courierDelivery(
  reference: string,
  status: CourierDelivery['status'] = 'delivery_created',
): CourierDelivery {
  return { key: 'key', reference, status, now: 0 };
}
