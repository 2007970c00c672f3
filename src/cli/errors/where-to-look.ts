import { invocation, type NextStep } from '../kit/result/invocation.ts';

/** The commands that show whether a write was executed if its response is lost. */
export function whereToLook({
  operation,
  params = {},
}: {
  operation: string;
  params?: Readonly<Record<string, unknown>>;
}): NextStep[] {
  const route = String(params.route_id ?? 'ROUTE');
  const deliveries = { ...invocation('deliveries list'), when: 'Look whether the delivery is there' };
  switch (operation) {
    case 'CreateOrders':
      return [{ ...invocation('orders list'), when: 'Look whether the order is there' }, deliveries];
    case 'CreateRoute':
      return [{ ...invocation('routes list'), when: 'Look whether the route is there' }];
    case 'GetRouteQuotes':
      return [{ ...invocation('quotes list', [route]), when: 'Look whether the quotes come' }];
    default:
      return typeof params.deliveryid === 'string'
        ? [{ ...invocation('deliveries get', [params.deliveryid]), when: 'Look at the delivery' }]
        : [deliveries];
  }
}
