import type { ItemSize, VehicleType } from '../contract/vocabulary.ts';

/** The pickup or the dropoff of an order. */
export interface CourierStop {
  name: string;
  /** E.164 with the leading plus. */
  phone: string;
  /** One line: street, city, state, ZIP. */
  address: string;
  unit: string;
  notes: string;
}

export interface CourierItem {
  name: string;
  quantity: number;
  size: ItemSize;
}

/** Everything that is known about an order. Money in cents, times in milliseconds since the epoch. */
export interface CourierOrder {
  order_id: string;
  pickup: CourierStop;
  dropoff: CourierStop;
  items: readonly CourierItem[];
  items_description: string;
  /** The merchant's own number of the order; may be empty. */
  external_order_ref: string;
  order_value: number;
  tip: number;
  request_signature: boolean;
  request_contactless: boolean;
  vehicle: VehicleType | null;
  /** At most one of the two is set; both null: as soon as possible. */
  pickup_at: number | null;
  dropoff_at: number | null;
}
