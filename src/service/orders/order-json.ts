import type { Item } from '../../contract/orders.ts';
import type { Simulation } from '../../domain/scenarios.ts';
import type { OrderEnd, OrderRecord } from './order-request.ts';

// The JSON of a stored order or delivery is a list of values in a fixed order: the names of the fields were half of its
// bytes, and lists are read faster. Fields that most records lack follow in an object. New fields are added there, as
// stored lists have no place for them. Rows written before this are objects.

/** Nothing, or the fields that most records lack. */
export type Rare<T> = [] | [rare: T];

export type EndValues = [
  ...[address: string, lat: number, lng: number, name: string, phone: string, unit: string, notes: string],
  at: number | null,
  ...Rare<Pick<OrderEnd, 'email'>>,
];

export type ItemValues = [name: Item['name'], quantity: Item['quantity'], size: Item['size']];

type OrderValues = [
  pickup: EndValues,
  dropoff: EndValues,
  store_id: OrderRecord['store_id'],
  items: ItemValues[],
  items_description: string,
  order_value: number,
  tip: OrderRecord['tip'],
  request_signature: boolean,
  request_contactless: boolean,
  vehicle: OrderRecord['vehicle'],
  scenario: Simulation['scenario'],
  provider: Simulation['provider'],
];

export function rareFields<T extends object>(fields: T): Rare<T> {
  return Object.keys(fields).length === 0 ? [] : [fields];
}

export function endValues({ address, point, name, phone, unit, notes, at, ...rare }: OrderEnd): EndValues {
  return [address, point.lat, point.lng, name, phone, unit, notes, at, ...rareFields(rare)];
}

export function endOf([address, lat, lng, name, phone, unit, notes, at, rare]: EndValues): OrderEnd {
  return { address, point: { lat, lng }, name, phone, unit, notes, at, ...rare };
}

export function itemValues({ name, quantity, size }: Item): ItemValues {
  return [name, quantity, size];
}

export function itemOf([name, quantity, size]: ItemValues): Item {
  return { name, quantity, size };
}

/** The JSON that is stored of an order's record. */
export function orderJson(record: OrderRecord): string {
  const { items_description, order_value, tip, request_signature, request_contactless } = record;
  const { store_id, vehicle, simulation } = record;
  const values: OrderValues = [
    ...([
      endValues(record.pickup),
      endValues(record.dropoff),
      store_id,
      record.items.map(itemValues),
    ] as const),
    ...([items_description, order_value, tip, request_signature, request_contactless, vehicle] as const),
    ...([simulation.scenario, simulation.provider] as const),
  ];
  return JSON.stringify(values);
}

/** The record of an order from its stored JSON. */
export function readOrderJson(json: string): OrderRecord {
  if (!json.startsWith('[')) return JSON.parse(json);
  const values: OrderValues = JSON.parse(json);
  const [pickup, dropoff, store_id, items, items_description, order_value, tip, ...more] = values;
  const [request_signature, request_contactless, vehicle, scenario, provider] = more;
  return {
    pickup: endOf(pickup),
    dropoff: endOf(dropoff),
    store_id,
    items: items.map(itemOf),
    items_description,
    order_value,
    tip,
    request_signature,
    request_contactless,
    vehicle,
    simulation: { scenario, provider },
  };
}
