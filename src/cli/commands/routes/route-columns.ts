import type { Route, Stop } from '../../../contract/routes.ts';
import type { Column } from '../../kit/result/result.ts';

/** Columns of routes. */
export const routeColumns: readonly Column<Route>[] = [
  { field: 'id', header: 'ID', kind: 'id', value: (route) => route.id },
  { field: 'status', header: 'Status', kind: 'status', value: (route) => route.status },
  { field: 'order_ids', header: 'Orders', kind: 'count', value: (route) => route.order_ids.length },
  { field: 'stops', header: 'Stops', kind: 'count', value: (route) => route.stops.length },
  { field: 'distance_miles', header: 'Distance', kind: 'miles', value: (route) => route.distance_miles },
  { field: 'created_at', header: 'Created', kind: 'time', spare: 1, value: (route) => route.created_at },
];

/** Fields of one route that every route has. */
export const routeRecordColumns: readonly Column<Route>[] = [
  ...routeColumns.filter(({ field }) => field !== 'order_ids' && field !== 'stops'),
  { field: 'updated_at', header: 'Updated', kind: 'time', value: ({ updated_at }) => updated_at },
  { field: 'order_ids', header: 'Orders', kind: 'text', value: ({ order_ids }) => order_ids },
];

/** Fields of one route, with a line for each stop. */
export function routeFields(route: Route): Column<Route>[] {
  return [
    ...routeRecordColumns,
    ...route.stops.map((stop): Column<Route> => {
      const field = `stops.${stop.sequence}`;
      return { field, header: `Stop ${stop.sequence}`, kind: 'text', value: () => stopText(stop) };
    }),
  ];
}

function stopText({ kind, address, leg_miles, order_ids }: Stop): string {
  const way = leg_miles === 0 ? '' : ` after ${leg_miles} mi`;
  const orders = order_ids.length === 1 ? '' : ` (${order_ids.length} orders)`;
  return `${kind}${way} at ${address}${orders}`;
}
