import { type Rare, rareFields } from '../orders/order-json.ts';

/** The JSON part of a quote's row; times in milliseconds. */
export interface QuoteRecord {
  pickup_eta: number;
  dropoff_eta: number;
  stop_etas: number[];
  /** The cost of each order on its own, in cents: the price is split in this proportion. */
  order_costs: number[];
  /** The provider's own id of the quote of each order. */
  references?: readonly string[];
  courier_name?: string;
  courier_image?: string;
  pickup_time?: number;
  vehicle_id?: string;
  /** The number of its quote round, from 1. */
  round?: number;
  /** The stops and time of a version 1 quote. */
  place?: { isTest: boolean; text: string };
}

// See `order-json.ts`.

type QuoteValues = [
  pickup_eta: number,
  dropoff_eta: number,
  /** Null for those of the pickup and the dropoff. */
  stop_etas: number[] | null,
  order_costs: number[],
  round: number | null,
  pickup_time: number | null,
  ...Rare<Pick<QuoteRecord, 'references' | 'courier_name' | 'courier_image' | 'vehicle_id' | 'place'>>,
];

/** The JSON that is stored of a quote's record. */
export function quoteJson(record: QuoteRecord): string {
  const { pickup_eta, dropoff_eta, stop_etas, order_costs, round, pickup_time, ...rare } = record;
  const [first, last, third] = stop_etas;
  const isUsual = first === pickup_eta && last === dropoff_eta && third === undefined;
  const values: QuoteValues = [
    ...([pickup_eta, dropoff_eta, isUsual ? null : stop_etas, order_costs] as const),
    ...([round ?? null, pickup_time ?? null, ...rareFields(rare)] as const),
  ];
  return JSON.stringify(values);
}

/** The record of a quote from its stored JSON. */
export function readQuoteJson(json: string): QuoteRecord {
  if (!json.startsWith('[')) return JSON.parse(json);
  const values: QuoteValues = JSON.parse(json);
  const [pickup_eta, dropoff_eta, stop_etas, order_costs, round, pickup_time, rare] = values;
  return {
    pickup_eta,
    dropoff_eta,
    stop_etas: stop_etas ?? [pickup_eta, dropoff_eta],
    order_costs,
    ...(pickup_time !== null && { pickup_time }),
    ...(round !== null && { round }),
    ...rare,
  };
}
