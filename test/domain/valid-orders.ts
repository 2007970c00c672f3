interface Visited {
  kind: string;
  order_ids: readonly string[];
}

/** Every order of some stops in which each pickup precedes its dropoff. */
export function validOrders<Stop extends Visited>(stops: readonly Stop[]): Stop[][] {
  const first = stops.filter(
    ({ kind, order_ids }) =>
      kind === 'pickup' ||
      !stops.some((other) => other.kind === 'pickup' && order_ids.some((id) => other.order_ids.includes(id))),
  );
  if (stops.length === 0) return [[]];
  return first.flatMap((stop) =>
    validOrders(stops.filter((other) => other !== stop)).map((rest) => [stop, ...rest]),
  );
}
