import type { Stop } from '../../domain/stops.ts';

// See `order-json.ts`.

type StopValues = [
  kind: Stop['kind'],
  order_ids: Stop['order_ids'],
  address: string,
  lat: number,
  lng: number,
  leg_tenths: number,
];

/** The JSON that is stored of a route's stops. */
export function stopsJson(stops: readonly Stop[]): string {
  const values = stops.map((stop): StopValues => {
    const { kind, order_ids, address, lat, lng, leg_tenths } = stop;
    return [kind, order_ids, address, lat, lng, leg_tenths];
  });
  return JSON.stringify(values);
}

/** The stops of a route from their stored JSON. */
export function readStopsJson(json: string): Stop[] {
  if (!json.startsWith('[[')) return JSON.parse(json);
  const stops: StopValues[] = JSON.parse(json);
  return stops.map((values) => {
    const [kind, order_ids, address, lat, lng, leg_tenths] = values;
    return { kind, order_ids, address, lat, lng, leg_tenths };
  });
}
